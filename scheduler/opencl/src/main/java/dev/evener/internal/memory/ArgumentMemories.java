package dev.evener.internal.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** The memories of a chunk's arguments by their numbers, made when they are first needed and kept. Belongs to one lane's thread. */
public final class ArgumentMemories implements AutoCloseable {
    private final IntFunction<ArgumentMemory> maker;
    private final List<ArgumentMemory> all = new ArrayList<>();

    /** @param maker of the memory of an argument by its number in a phase */
    public ArgumentMemories(IntFunction<ArgumentMemory> maker) {
        this.maker = maker;
    }

    /** That of an argument. */
    public ArgumentMemory of(int index) {
        while (all.size() <= index) {
            all.add(maker.apply(all.size()));
        }
        return all.get(index);
    }

    @Override
    public void close() {
        all.forEach(ArgumentMemory::close);
        all.clear();
    }
}
