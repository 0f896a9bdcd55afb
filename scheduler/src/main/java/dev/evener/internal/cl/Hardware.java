package dev.evener.internal.cl;

import dev.evener.DeviceKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a platform tells of the hardware behind a device, by which the same GPU is known under another platform. Devices of one
 * platform are never one.
 *
 * @param platform number of the platform
 * @param uuid the device's UUID, or null. Equal ones are proof; different ones are none, as a runtime may make up its own
 * @param pci its place on the bus, {@code domain:bus:device.function} in hexadecimal digits, or null
 */
record Hardware(
        int platform,
        DeviceKind kind,
        String name,
        @Nullable String uuid,
        @Nullable String pci) {

    /** One machine has one CPU, whatever its platforms call it. */
    private static final String CPU = "cpu";

    /**
     * A name for each device's hardware: equal for those that are the same by UUID, else by PCI place, else by name and how many of
     * that name their platforms list before them. Two places that are both known and differ are two devices, whatever their names.
     */
    static List<String> identify(List<Hardware> all) {
        int[] same = new int[all.size()]; // the first device that is this one
        for (int i = 0; i < same.length; i++) {
            same[i] = i;
        }
        List<String> ordinals = ordinals(all);
        join(all, same, i -> all.get(i).uuid, false);
        join(all, same, i -> all.get(i).pci, false);
        join(all, same, ordinals::get, true);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < same.length; i++) {
            names.add(all.get(i).kind == DeviceKind.CPU ? CPU : name(all, same, same[i], ordinals.get(same[i])));
        }
        return names;
    }

    /** Joins devices of different platforms that have the same clue, unless one of them is joined with another device of that platform. */
    private static void join(
            List<Hardware> all, int[] same, Function<Integer, @Nullable String> clue, boolean unlessPlacesDiffer) {
        for (int i = 1; i < same.length; i++) {
            String mine = clue.apply(i);
            for (int j = 0; mine != null && j < i; j++) {
                if (mine.equals(clue.apply(j))
                        && all.get(i).kind == all.get(j).kind
                        && same[i] != same[j]
                        && platformsDiffer(all, same, same[i], same[j])
                        && !(unlessPlacesDiffer && placesDiffer(all, same, same[i], same[j]))) {
                    int first = Math.min(same[i], same[j]);
                    int second = Math.max(same[i], same[j]);
                    for (int k = 0; k < same.length; k++) {
                        same[k] = same[k] == second ? first : same[k];
                    }
                }
            }
        }
    }

    private static boolean platformsDiffer(List<Hardware> all, int[] same, int a, int b) {
        Set<Integer> platforms = new HashSet<>();
        for (int k = 0; k < same.length; k++) {
            if ((same[k] == a || same[k] == b) && !platforms.add(all.get(k).platform)) {
                return false;
            }
        }
        return true;
    }

    private static boolean placesDiffer(List<Hardware> all, int[] same, int a, int b) {
        String place = place(all, same, a);
        String other = place(all, same, b);
        return place != null && other != null && !place.equals(other);
    }

    private static @Nullable String place(List<Hardware> all, int[] same, int of) {
        for (int k = 0; k < same.length; k++) {
            if (same[k] == of && all.get(k).pci != null) {
                return all.get(k).pci;
            }
        }
        return null;
    }

    private static String name(List<Hardware> all, int[] same, int of, String ordinal) {
        String place = place(all, same, of);
        return place == null ? ordinal : "pci " + place;
    }

    private static List<String> ordinals(List<Hardware> all) {
        Map<String, Integer> seen = new HashMap<>();
        List<String> ordinals = new ArrayList<>();
        for (Hardware each : all) {
            String name = each.kind.name().toLowerCase(Locale.ROOT) + " " + each.name.toLowerCase(Locale.ROOT);
            ordinals.add(name + " #" + (seen.merge(each.platform + " " + name, 1, Integer::sum) - 1));
        }
        return ordinals;
    }
}
