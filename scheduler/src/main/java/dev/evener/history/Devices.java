package dev.evener.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A set of devices that work together, by their identities.
 *
 * @param identities sorted, none twice, at least one
 */
record Devices(List<String> identities) implements Comparable<Devices> {
    Devices {
        List<String> sorted = new ArrayList<>(identities);
        Collections.sort(sorted);
        identities = List.copyOf(sorted);
    }

    @Override
    public int compareTo(Devices other) {
        for (int i = 0; i < Math.min(identities.size(), other.identities.size()); i++) {
            int order = identities.get(i).compareTo(other.identities.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(identities.size(), other.identities.size());
    }
}
