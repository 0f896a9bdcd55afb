package dev.evener.internal.data;

import java.util.ArrayList;
import java.util.List;

/** Why bytes of a buffer were lost, unless others held them too; of each byte the latest counts. Guarded by the directory. */
final class Losses {
    private record Loss(long from, long to, String reason) {}

    private final List<Loss> all = new ArrayList<>();

    void add(long from, long to, String reason) {
        remove(from, to);
        all.add(new Loss(from, to, reason));
    }

    /** These bytes are there again. */
    void remove(long from, long to) {
        for (int i = all.size() - 1; i >= 0; i--) {
            Loss each = all.get(i);
            if (from <= each.from && each.to <= to) {
                all.remove(i);
            }
        }
    }

    /** Why this byte was, or nothing. */
    String reason(long at) {
        String reason = "";
        for (Loss each : all) {
            reason = each.from <= at && at < each.to ? each.reason : reason;
        }
        return reason;
    }

    void clear() {
        all.clear();
    }
}
