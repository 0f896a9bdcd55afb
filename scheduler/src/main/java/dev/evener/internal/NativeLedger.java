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
    @SuppressWarnings("ImmutableEnumChecker") // each counts
    public enum Kind {
        SUB_DEVICE,
        CONTEXT,
        QUEUE,
        PROGRAM,
        KERNEL,
        BUFFER,
        IMAGE,
        SAMPLER,
        EVENT,
        /** Page-locked memory and its queues, which wait for the garbage collector and so are counted apart. */
        PAGE_LOCKED
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

    /** How many objects of page-locked memory are alive: each until nothing refers to a view of it. */
    public static long pageLocked() {
        return LIVE.get(Kind.PAGE_LOCKED).sum();
    }

    /** How many are alive, page-locked memory apart, by kind; kinds with none are absent. */
    public static Map<Kind, Long> live() {
        Map<Kind, Long> result = new EnumMap<>(Kind.class);
        LIVE.forEach((kind, count) -> {
            if (count.sum() != 0 && kind != Kind.PAGE_LOCKED) {
                result.put(kind, count.sum());
            }
        });
        return result;
    }
}
