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

    /** Devices that are one piece of hardware, by their numbers, and what is known of it. */
    private record Same(TreeSet<Integer> devices, Set<Integer> platforms, Set<String> places) {}

    /**
     * A name for each device's hardware: equal for those that are the same by UUID, else by PCI place, else by name and how many of
     * that name their platforms list before them. Two places that are both known and differ are two devices, whatever their names.
     */
    static List<String> identify(List<Hardware> all) {
        Map<String, Integer> seen = new HashMap<>();
        List<String> ordinals = new ArrayList<>();
        List<Same> same = new ArrayList<>(); // of each device
        for (Hardware each : all) {
            String name = each.kind.name().toLowerCase(Locale.ROOT) + " " + each.name.toLowerCase(Locale.ROOT);
            ordinals.add(name + " #" + (seen.merge(each.platform + " " + name, 1, Integer::sum) - 1));
            same.add(new Same(
                    new TreeSet<>(Set.of(same.size())),
                    new TreeSet<>(Set.of(each.platform)),
                    each.pci == null ? new TreeSet<>() : new TreeSet<>(Set.of(each.pci))));
        }
        join(all, same, i -> all.get(i).uuid, false);
        join(all, same, i -> all.get(i).pci, false);
        join(all, same, ordinals::get, true);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            String known = same.get(i).devices.stream()
                    .map(k -> all.get(k).pci)
                    .filter(pci -> pci != null)
                    .findFirst()
                    .map(pci -> "pci " + pci)
                    .orElse(ordinals.get(same.get(i).devices.first()));
            names.add(
                    all.get(i).kind == DeviceKind.CPU
                            ? "cpu"
                            : known); // one machine has one CPU, whatever it is called
        }
        return names;
    }

    /** Joins devices of different platforms that have the same clue, unless one of them is joined with another device of that platform. */
    private static void join(
            List<Hardware> all, List<Same> same, IntFunction<@Nullable String> clue, boolean unlessPlacesDiffer) {
        for (int i = 1; i < all.size(); i++) {
            String mine = clue.apply(i);
            for (int j = 0; mine != null && j < i; j++) {
                Same ours = same.get(i);
                Same others = same.get(j);
                boolean apart = unlessPlacesDiffer
                        && !ours.places.isEmpty()
                        && !others.places.isEmpty()
                        && Collections.disjoint(ours.places, others.places);
                if (mine.equals(clue.apply(j))
                        && all.get(i).kind == all.get(j).kind
                        && Collections.disjoint(ours.platforms, others.platforms)
                        && !apart) {
                    others.devices.addAll(ours.devices);
                    others.platforms.addAll(ours.platforms);
                    others.places.addAll(ours.places);
                    ours.devices.forEach(k -> same.set(k, others));
                }
            }
        }
    }
}
