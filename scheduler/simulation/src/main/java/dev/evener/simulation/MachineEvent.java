package dev.evener.simulation;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Something that happens to a device at a time of the simulation.
 *
 * @param device the device's id
 * @param kind what happens
 * @param at when, in nanoseconds since the simulation began
 * @param until when it is over; only of {@link Kind#SLOWED}, {@link Long#MAX_VALUE} for never, and of {@link Kind#LATE}, for which it is
 *     {@code at} and the nanoseconds by which the chunk is late
 * @param factor how many times as long its work takes; only of {@link Kind#SLOWED}
 */
public record MachineEvent(String device, Kind kind, long at, long until, double factor) {
    /** What can happen to a device. */
    public enum Kind {
        /** It fails: what it runs, and is asked to run, has an error. */
        LOST,
        /** It does not answer any more: what it runs does not end. */
        HANGS,
        /** It works again, after any of the others. */
        BACK,
        /** It works slower. */
        SLOWED,
        /** The chunk that it takes next begins late, as where a driver compiles, pins memory or wakes a device. */
        LATE
    }

    private static final String NUMBER = "(\\d+(?:\\.\\d+)?)";
    private static final String TIME = NUMBER + "\\s*(s|ms|us)";
    private static final Pattern AT = Pattern.compile("(\\S+)\\s+(lost|hangs|back)\\s+at\\s+" + TIME);
    private static final Pattern LATE = Pattern.compile("(\\S+)\\s+late\\s+by\\s+" + TIME + "\\s+at\\s+" + TIME);
    private static final Pattern SLOWED = Pattern.compile(
            "(\\S+)\\s+slowed\\s+" + NUMBER + "\\s*x(?:\\s+from\\s+" + TIME + ")?(?:\\s+to\\s+" + TIME + ")?");

    /** @throws IllegalArgumentException if it ends before it begins, or makes a device faster */
    public MachineEvent {
        Numbers.require("the time of an event", (double) at, 0);
        Numbers.require("a factor of slowness", factor, 1, 1e6);
        if (until <= at) {
            throw new IllegalArgumentException("it would be over before it begins");
        }
    }

    /**
     * Parses {@code 0.1 lost at 2 s}, {@code 0.1 hangs at 2 s}, {@code 0.1 back at 5 s}, {@code 0.1 late by 300 ms at 2 s} or {@code 0.1 slowed
     * 3x from 1 s to 4 s}, where {@code 0.1} is the device's id, times are in {@code s}, {@code ms} or {@code us}, and {@code from} and
     * {@code to} may be left out.
     *
     * @throws IllegalArgumentException if the text is no such event; the message says what would be one
     */
    public static MachineEvent parse(String text) {
        String plain = text.trim().toLowerCase(Locale.ROOT);
        try {
            Matcher at = AT.matcher(plain);
            if (at.matches()) {
                return new MachineEvent(
                        at.group(1),
                        Kind.valueOf(at.group(2).toUpperCase(Locale.ROOT)),
                        nanos(at.group(3), at.group(4)),
                        Long.MAX_VALUE,
                        1);
            }
            Matcher late = LATE.matcher(plain);
            if (late.matches()) {
                long from = nanos(late.group(4), late.group(5));
                return new MachineEvent(late.group(1), Kind.LATE, from, from + nanos(late.group(2), late.group(3)), 1);
            }
            Matcher slowed = SLOWED.matcher(plain);
            if (slowed.matches()) {
                return new MachineEvent(
                        slowed.group(1),
                        Kind.SLOWED,
                        slowed.group(3) == null ? 0 : nanos(slowed.group(3), slowed.group(4)),
                        slowed.group(5) == null ? Long.MAX_VALUE : nanos(slowed.group(5), slowed.group(6)),
                        Double.parseDouble(slowed.group(2)));
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("event '" + text + "': " + e.getMessage(), e);
        }
        throw new IllegalArgumentException(
                "event '" + text + "': expected DEVICE lost at TIME, DEVICE hangs at TIME, DEVICE"
                        + " back at TIME, DEVICE late by TIME at TIME or DEVICE slowed FACTORx from TIME to TIME, such as '0.1 slowed 3x from 1 s to 4 s'");
    }

    private static long nanos(String number, String unit) {
        double each = unit.equals("s") ? 1e9 : unit.equals("ms") ? 1e6 : 1e3;
        double nanos = Double.parseDouble(number) * each;
        Numbers.require("the time of an event", nanos, 0);
        return Math.round(nanos);
    }
}
