package dev.evener.internal.fold;

import dev.evener.Access;
import dev.evener.internal.JobSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The partial results of one phase under way, a sum for each lane and reduce argument. A lane's partials are touched by its
 * own thread during the phase; {@link #merge} is called by the one thread that ends the phase.
 */
public final class Partials {
    private final int lanes;
    private @Nullable ByteBuffer[][] sums; // [lane][argument]

    public Partials(int lanes) {
        this.lanes = lanes;
        this.sums = new ByteBuffer[lanes][];
    }

    /** Folds the partial results of a lane's last chunk into the lane's own. */
    public void collect(int lane, IntFunction<ByteBuffer> partial, JobSpec.Phase phase) {
        List<JobSpec.Argument> arguments = phase.arguments();
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i) instanceof JobSpec.Argument.Buffer b && b.access() instanceof Access.Reduce r) {
                if (sums[lane] == null) {
                    sums[lane] = new ByteBuffer[arguments.size()];
                }
                ByteBuffer sum = sums[lane][i];
                if (sum == null) {
                    sum = ByteBuffer.allocate((int) b.buffer().byteSize()).order(ByteOrder.nativeOrder());
                    sums[lane][i] = sum;
                    Merge.copy(sum, partial.apply(i));
                } else {
                    Merge.into(sum, partial.apply(i), b.buffer().type(), r.operation());
                }
            }
        }
    }

    /** Merges all lanes' partials into the job's buffers, in lane order, and forgets them. */
    public void merge(JobSpec.Phase phase) {
        List<JobSpec.Argument> arguments = phase.arguments();
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i) instanceof JobSpec.Argument.Buffer b && b.access() instanceof Access.Reduce r) {
                merge(i, b, r);
            }
        }
        sums = new ByteBuffer[lanes][];
    }

    private void merge(int index, JobSpec.Argument.Buffer argument, Access.Reduce reduce) {
        ByteBuffer target = argument.buffer().segment(0);
        boolean first = true;
        for (ByteBuffer[] ofLane : sums) {
            if (ofLane != null && ofLane[index] != null) {
                if (first) {
                    Merge.copy(target, ofLane[index]);
                } else {
                    Merge.into(target, ofLane[index], argument.buffer().type(), reduce.operation());
                }
                first = false;
            }
        }
        if (first) { // no lane had work
            Merge.fillIdentity(target, argument.buffer().type(), reduce.operation());
        }
    }
}
