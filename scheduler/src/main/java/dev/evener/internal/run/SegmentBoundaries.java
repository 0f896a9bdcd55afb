package dev.evener.internal.run;

import dev.evener.Access;
import dev.evener.EvenerException;
import dev.evener.internal.JobSpec;

/**
 * The units at which a launch of one phase must end because a segment of one of its sliced buffers does: what a kernel sees
 * of a buffer is one piece of memory. So must a chunk, but on lanes that run it in pieces. Stateless; any thread.
 */
public final class SegmentBoundaries {
    private SegmentBoundaries() {}

    /** Units from this one to the next seam of a phase; {@link Long#MAX_VALUE} if there is none. Allocates nothing. */
    public static long toNext(JobSpec.Phase phase, long unit) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < phase.arguments().size(); i++) {
            long spacing = spacing(phase.arguments().get(i));
            least = spacing > 0 ? Math.min(least, spacing - unit % spacing) : least;
        }
        return least;
    }

    /**
     * Refuses a job whose seams are no legal cuts: chunks begin at seams and at granules, and each of these places must be
     * a legal one in all buffers.
     *
     * @param granule units per granule of the job
     */
    static void requireLegal(JobSpec job, long granule) {
        for (JobSpec.Phase phase : job.phases()) {
            for (int i = 0; i < phase.arguments().size(); i++) {
                long spacing = spacing(phase.arguments().get(i));
                if (spacing > 0 && spacing < job.units() && spacing % granule != 0) {
                    JobSpec.Argument.Buffer b =
                            (JobSpec.Argument.Buffer) phase.arguments().get(i);
                    long perUnit = ((Access.Slice) b.access()).elementsPerUnit();
                    throw new EvenerException("job '" + job.name() + "', " + phase.describe(i)
                            + " lies in segments of " + spacing + " units, but on these devices the job may be cut only"
                            + " every " + granule + " units (memory alignment and work-group sizes); allocate it with"
                            + " allocate(type, elements, " + perUnit * granule + ")");
                }
            }
        }
    }

    /** Units per segment of a sliced buffer that has several, else 0. */
    private static long spacing(JobSpec.Argument argument) {
        return argument instanceof JobSpec.Argument.Buffer b
                        && b.access() instanceof Access.Slice
                        && b.buffer().segmentCount() > 1
                ? b.buffer().segmentBytes() / b.bytesPerUnit()
                : 0;
    }
}
