package dev.evener.internal.fold;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.internal.JobSpec;
import org.jspecify.annotations.Nullable;

/**
 * What stands in for an argument whose results are not yet in their final form while a phase runs: a slice in which every
 * unit writes its own part, so that a lane treats it like any other and nothing depends on how the units are shared out.
 *
 * @param type of its elements
 * @param perUnit elements of each unit
 */
public record PartialsSlice(ElementType type, long perUnit) {

    /** The hidden slice of an argument, or null if it has none. */
    static @Nullable PartialsSlice of(JobSpec.Argument.Buffer argument) {
        ElementType type = argument.buffer().type();
        if (argument.access() instanceof Access.Reduce && type.isFloating()) {
            return new PartialsSlice(type, argument.buffer().elements());
        }
        if (argument.access() instanceof Access.Append append) {
            return new PartialsSlice(type, append.mostPerUnit());
        }
        if (argument.access() instanceof Access.Count) {
            return new PartialsSlice(ElementType.UINT, 1);
        }
        return null;
    }

    /** Bytes that a unit touches of a slice, declared or hidden; 0 for what is no slice. */
    public static long bytesPerUnit(JobSpec.Argument.Buffer argument) {
        if (argument.access() instanceof Access.Slice) {
            return argument.bytesPerUnit();
        }
        PartialsSlice hidden = of(argument);
        return hidden == null ? 0 : hidden.perUnit() * hidden.type().bytes();
    }
}
