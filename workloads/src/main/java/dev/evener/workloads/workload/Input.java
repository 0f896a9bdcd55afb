package dev.evener.workloads.workload;

import dev.evener.ElementType;

/**
 * An array that a workload reads.
 *
 * @param name what its description calls it
 * @param type of its elements
 * @param perItem elements for each item; 0 where the workload finds out by itself how its sizes go together
 * @param description what it holds, in a few words
 */
public record Input(String name, ElementType type, int perItem, String description) {
    /** One element for each item. */
    static Input of(String name, ElementType type, String description) {
        return new Input(name, type, 1, description);
    }
}
