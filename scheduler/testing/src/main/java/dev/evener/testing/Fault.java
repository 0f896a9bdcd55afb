package dev.evener.testing;

import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * One fault to inject.
 *
 * @param lane which lane, from 0, in lane order
 * @param job in which of the lane's jobs it begins, from 0; {@link #ANY_JOB} to count chunks over all jobs
 * @param chunk at which of the lane's chunks, counted from 0 over all jobs or within that job, it begins
 * @param kind what happens
 * @param factor for {@link Kind#SLOW}: how many times as long a chunk takes
 * @param length for {@link Kind#HANG}: how long the lane hangs; zero for as long as its Evener is open
 */
record Fault(int lane, long job, long chunk, Kind kind, double factor, Duration length) {
    /** Chunks are counted over all jobs. */
    static final long ANY_JOB = -1;

    enum Kind {
        /** That chunk fails; the device answers a probe. */
        ERROR,
        /** From that chunk on everything fails, probes too. */
        DIE,
        /** That chunk does not end, or ends late and then writes its results. */
        HANG,
        /** From that chunk on chunks take longer. */
        SLOW,
        /** No kernel of a job that starts after that chunk can be built. */
        BUILD,
        /** From that chunk on there is no memory for chunks of more than half the size of that one. */
        ALLOC
    }

    private static final String EXPECTED = "expected lane=N,fault=error|die|hang[:SECONDS]|slow:FACTORx|build|alloc,"
            + " and chunk=N if it should not begin with the lane's first chunk, job=N to count chunks in that job of the"
            + " lane";

    static Fault parse(String text) {
        int lane = -1;
        long job = ANY_JOB;
        long chunk = 0;
        String fault = "";
        Set<String> seen = new HashSet<>();
        for (String part : text.trim().toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] pair = part.trim().split("=", 2);
            if (pair.length != 2 || !seen.add(pair[0])) {
                throw refused(text, "'" + part.trim() + "' is not one name=value of its own");
            }
            switch (pair[0]) {
                case "lane" -> lane = number(text, pair[1]);
                case "job" -> job = number(text, pair[1]);
                case "chunk" -> chunk = number(text, pair[1]);
                case "fault" -> fault = pair[1];
                default -> throw refused(text, "there is no '" + pair[0] + "'");
            }
        }
        if (lane < 0 || fault.isEmpty()) {
            throw refused(text, "lane or fault is missing");
        }
        return withKind(text, lane, job, chunk, fault);
    }

    private static Fault withKind(String text, int lane, long job, long chunk, String fault) {
        String name = fault.contains(":") ? fault.substring(0, fault.indexOf(':')) : fault;
        String value = fault.substring(Math.min(fault.length(), name.length() + 1));
        Kind kind;
        try {
            kind = Kind.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw refused(text, "there is no fault '" + name + "'");
        }
        if (fault.endsWith(":")) {
            throw refused(text, "nothing comes after '" + fault + "'");
        }
        if (kind == Kind.SLOW) {
            double factor = decimal(text, value.endsWith("x") ? value.substring(0, value.length() - 1) : value);
            if (!(factor >= 1 && factor <= 1000)) {
                throw refused(text, "a factor is between 1 and 1000, such as slow:4x");
            }
            return new Fault(lane, job, chunk, kind, factor, Duration.ZERO);
        }
        if (kind == Kind.HANG && !value.isEmpty()) {
            double seconds = decimal(text, value.endsWith("s") ? value.substring(0, value.length() - 1) : value);
            if (!(seconds > 0 && seconds < 1e6)) {
                throw refused(text, "hang:SECONDS needs more than 0 seconds");
            }
            long nanos = Math.max(1, (long) (seconds * 1e9)); // 0 would be for ever
            return new Fault(lane, job, chunk, kind, 1, Duration.ofNanos(nanos));
        }
        if (!value.isEmpty()) {
            throw refused(text, "'" + name + "' takes no value");
        }
        return new Fault(lane, job, chunk, kind, 1, Duration.ZERO);
    }

    private static int number(String text, String value) {
        try {
            int number = Integer.parseInt(value.trim());
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw refused(text, "'" + value + "' is no number from 0 to " + Integer.MAX_VALUE);
    }

    private static double decimal(String text, String value) {
        if (value.equals("nan")) {
            return Double.NaN; // a number to Java, but none that any limit lets through
        }
        try {
            return Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    refused(text, "'" + value + "' is no number").getMessage(), e);
        }
    }

    private static IllegalArgumentException refused(String text, String reason) {
        return new IllegalArgumentException("fault '" + text + "': " + reason + "; " + EXPECTED);
    }
}
