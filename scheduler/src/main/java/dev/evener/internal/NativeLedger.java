package dev.evener.internal;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts native objects alive, so that a test can prove that none is left. Counting costs one uncontended
 * addition; any thread.
 */
public final class NativeLedger {

    /** Kinds of native object. */
    public enum Kind {
        CONTEXT,
        QUEUE,
        PROGRAM,
        KERNEL,
        BUFFER,
        EVENT
    }

    private static final Map<Kind, LongAdder> LIVE = new EnumMap<>(Kind.class);

    static {
        for (Kind kind : Kind.values()) {
            LIVE.put(kind, new LongAdder());
        }
    }

    private NativeLedger() {}

    /** One more is alive. */
    public static void made(Kind kind) {
        LIVE.get(kind).increment();
    }

    /** One fewer is alive. */
    public static void freed(Kind kind) {
        LIVE.get(kind).decrement();
    }

    /** How many are alive, by kind; kinds with none are absent. */
    public static Map<Kind, Long> live() {
        Map<Kind, Long> result = new EnumMap<>(Kind.class);
        LIVE.forEach((kind, count) -> {
            if (count.sum() != 0) {
                result.put(kind, count.sum());
            }
        });
        return result;
    }
}
