package dev.evener.policy.baseline;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.PolicyProvider;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.List;

/**
 * Trapezoid self-scheduling: chunks that become smaller by the same number of granules each time, from f = N / 2P to l. There are {@code C =
 * ceil(2N / (f + l))} of them, and the step is {@code floor((f - l) / (C - 1))}. Tzen and Ni, Trapezoid Self-Scheduling: A Practical
 * Scheduling Scheme for Parallel Compilers, IEEE Transactions on Parallel and Distributed Systems 4(1), 1993.
 *
 * @param first granules of the first chunk; 0 for N / 2P
 * @param last granules of the last, at least 1
 */
public record Trapezoid(int first, int last) implements Policy, PolicyProvider {
    /** From N / 2P to 1. */
    public Trapezoid() {
        this(0, 1);
    }

    @Override
    public String name() {
        return "tss";
    }

    @Override
    public String description() {
        return "trapezoid self-scheduling: chunks that become smaller by the same step each time";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.whole("first", 1, "", "granules of the first chunk; a half of a device's part if not given"),
                Parameter.whole("last", 1, "1", "granules of the last chunk"));
    }

    @Override
    public Policy create(Settings settings) {
        return new Trapezoid(settings.has("first") ? settings.whole("first") : 0, settings.whole("last"));
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        return Plan.equal(Plan.Sharing.POOLED, snapshot);
    }

    /** Which chunk it is follows from what is left: before chunk i there were {@code i f - step i (i - 1) / 2} granules. */
    @Override
    public long chunk(Progress progress, int lane) {
        long all = progress.granules();
        long f = Math.max(last, first > 0 ? first : all / (2L * Factoring.lanes(progress)));
        long count = Math.max(2, -Math.floorDiv(-2 * all, f + last));
        long step = (f - last) / (count - 1);
        if (step == 0) {
            return f;
        }
        long done = all - progress.remaining();
        double b = f + step / 2.0;
        long i = (long) ((b - Math.sqrt(Math.max(0, b * b - 2.0 * step * done))) / step);
        i = Math.max(0, Math.min(count - 1, i));
        if (before(i + 1, f, step) <= done && i < count - 1) { // the root was rounded
            i++;
        } else if (before(i, f, step) > done) {
            i--;
        }
        return Math.max(last, f - i * step);
    }

    private static long before(long chunk, long f, long step) {
        return chunk * f - step * chunk * (chunk - 1) / 2;
    }
}
