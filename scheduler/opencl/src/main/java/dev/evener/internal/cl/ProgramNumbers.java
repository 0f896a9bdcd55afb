package dev.evener.internal.cl;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keeps apart the programs of queues that may launch one kernel at once where the driver mixes up such launches. PoCL before 6 counts
 * the launches under way of each form that it has compiled of a kernel (of a group size: from item 0 or from another, over a range up
 * to some size), but when one ends it looks for the kernel and the group size alone, and counts down the form that was begun last. So
 * where two queues run two forms at once, one count falls below 0, which ends the process (assertion in
 * {@code pocl_release_dlhandle_cache}), or a form is unloaded that still runs. One in-order queue never has two launches under way.
 * What is built with other options is another kernel to PoCL, and so is what another of its drivers builds ({@code pthread} and
 * {@code basic}, which their devices' names begin with). Each user of a driver's CPU devices therefore has a number of its own in
 * this process, and builds programs with it; the first has 0, which needs no option. Numbers are the lowest that are free, so that
 * PoCL finds in its cache what it has built. Thread-safe.
 */
final class ProgramNumbers {
    /** Since this version it counts right. */
    private static final int RIGHT_SINCE = 6;

    private static final Pattern VERSION = Pattern.compile("PoCL (\\d+)\\.");

    /** By version and name of the device, the numbers in use. */
    private static final Map<String, BitSet> TAKEN = new HashMap<>();

    private ProgramNumbers() {}

    /** The number of a new user of a device, or of a part of one. */
    static int take(ClDevice device) {
        if (!mixesUpLaunches(device)) {
            return 0;
        }
        synchronized (TAKEN) {
            BitSet taken = TAKEN.computeIfAbsent(key(device), key -> new BitSet());
            int number = taken.nextClearBit(0);
            taken.set(number);
            return number;
        }
    }

    /** A user has ended, and nothing of it runs any more. */
    static void giveBack(ClDevice device, int number) {
        if (mixesUpLaunches(device)) {
            synchronized (TAKEN) {
                TAKEN.get(key(device)).clear(number);
            }
        }
    }

    /** What is added to the options of a program. */
    static String option(int number) {
        return number == 0 ? "" : " -D EVENER_PART=" + number;
    }

    private static boolean mixesUpLaunches(ClDevice device) {
        Matcher version = VERSION.matcher(device.platformVersion());
        return device.compilesAtLaunch() && version.find() && Integer.parseInt(version.group(1)) < RIGHT_SINCE;
    }

    private static String key(ClDevice device) {
        return device.platformVersion() + ", " + device.info().name();
    }
}
