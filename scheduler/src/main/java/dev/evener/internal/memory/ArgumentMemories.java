package dev.evener.internal.memory;

import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** The memories of a chunk's arguments by their numbers, made when they are first needed and kept. Belongs to one lane's thread. */
public final class ArgumentMemories implements AutoCloseable {
    private final IntFunction<ArgumentMemory> maker;
    private final IntFunction<ArgumentMemory> fullMaker;
    private final List<ArgumentMemory> parts = new ArrayList<>();
    private final List<ArgumentMemory> full = new ArrayList<>();

    /**
     * @param maker of those of which kernels see the chunk's part, and of partial results
     * @param fullMaker of those that they see from the start
     */
    public ArgumentMemories(IntFunction<ArgumentMemory> maker, IntFunction<ArgumentMemory> fullMaker) {
        this.maker = maker;
        this.fullMaker = fullMaker;
    }

    /** That of an argument of a phase. */
    public ArgumentMemory of(JobSpec.Phase phase, int index) {
        boolean partial =
                phase.arguments().get(index) instanceof Argument.Buffer b && b.view() == Argument.View.PARTIAL;
        return phase.seesJob() && !partial ? made(full, fullMaker, index) : partial(index);
    }

    /** That of a partial result. */
    public ArgumentMemory partial(int index) {
        return made(parts, maker, index);
    }

    private static ArgumentMemory made(List<ArgumentMemory> all, IntFunction<ArgumentMemory> maker, int index) {
        while (all.size() <= index) {
            all.add(maker.apply(all.size()));
        }
        return all.get(index);
    }

    @Override
    public void close() {
        parts.forEach(ArgumentMemory::close);
        full.forEach(ArgumentMemory::close);
        parts.clear();
        full.clear();
    }
}
