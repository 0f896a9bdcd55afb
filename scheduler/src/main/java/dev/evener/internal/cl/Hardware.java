package dev.evener.internal.cl;

import dev.evener.DeviceKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.Stream;
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
        List<String> ordinals = ordinals(all);
        List<TreeSet<Integer>> same = new ArrayList<>(); // of each device the numbers of all that are this one
        for (int i = 0; i < all.size(); i++) {
            same.add(new TreeSet<>(Set.of(i)));
        }
        join(all, same, i -> all.get(i).uuid, false);
        join(all, same, i -> all.get(i).pci, false);
        join(all, same, ordinals::get, true);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            String place = place(all, same.get(i));
            String name = place == null ? ordinals.get(same.get(i).first()) : "pci " + place;
            names.add(all.get(i).kind == DeviceKind.CPU ? CPU : name);
        }
        return names;
    }

    /** Joins devices of different platforms that have the same clue, unless one of them is joined with another device of that platform. */
    private static void join(
            List<Hardware> all,
            List<TreeSet<Integer>> same,
            IntFunction<@Nullable String> clue,
            boolean unlessPlacesDiffer) {
        for (int i = 1; i < all.size(); i++) {
            String mine = clue.apply(i);
            for (int j = 0; mine != null && j < i; j++) {
                TreeSet<Integer> ours = same.get(i);
                TreeSet<Integer> others = same.get(j);
                if (mine.equals(clue.apply(j))
                        && all.get(i).kind == all.get(j).kind
                        && Collections.disjoint(platforms(all, ours), platforms(all, others))
                        && !(unlessPlacesDiffer && placesDiffer(all, ours, others))) {
                    others.addAll(ours);
                    ours.forEach(k -> same.set(k, others));
                }
            }
        }
    }

    private static List<Integer> platforms(List<Hardware> all, Set<Integer> group) {
        return group.stream().map(k -> all.get(k).platform).toList();
    }

    private static boolean placesDiffer(List<Hardware> all, Set<Integer> a, Set<Integer> b) {
        String place = place(all, a);
        String other = place(all, b);
        return place != null && other != null && !place.equals(other);
    }

    private static @Nullable String place(List<Hardware> all, Set<Integer> group) {
        return group.stream()
                .flatMap(k -> Stream.ofNullable(all.get(k).pci))
                .findFirst()
                .orElse(null);
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
