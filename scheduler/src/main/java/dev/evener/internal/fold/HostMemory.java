package dev.evener.internal.fold;

import dev.evener.ElementType;
import dev.evener.internal.ManagedBuffer;

/** Where a run gets host memory from. Whoever gives it closes in the end what is still open. Any thread. */
@FunctionalInterface
public interface HostMemory {

    /**
     * New memory.
     *
     * @param elementsPerUnit elements that no boundary between segments may separate, at least 1
     * @throws dev.evener.EvenerException if there is none
     */
    ManagedBuffer allocate(ElementType type, long elements, long elementsPerUnit);
}
