package dev.evener.internal.source;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What was found of texts that were asked for last: finding it takes long, and each lane and context asks again. */
public final class Recent {
    private Recent() {}

    /** A map of at most so many entries: one more puts out the one that was asked for longest ago. Any thread. */
    public static <K, V> Map<K, V> map(int most) {
        return Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > most;
            }
        });
    }
}
