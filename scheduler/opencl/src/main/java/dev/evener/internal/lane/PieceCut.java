package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.job.Layout;
import dev.evener.internal.run.Granules;

/**
 * How a lane cuts a chunk into the pieces that follow one another through upload, kernels and download. A piece is a chunk
 * like any other as far as kernels are concerned. It moves an eighth of what its chunk moves, within bounds: the first
 * piece's upload and the last one's download overlap with nothing, and every piece costs launches and waits.
 *
 * @param least fewest bytes that a piece moves, in both directions together; a chunk of fewer than two such pieces is not cut
 * @param most most bytes that a piece moves, unless the smallest legal one moves more
 */
public record PieceCut(long least, long most) {
    /** Transfers of a few MiB reach the bus's speed; beyond some tens a longer pipeline only takes more memory. */
    private static final PieceCut USUAL = new PieceCut(16 << 20, 32 << 20);

    private static final int PIECES = 8;

    /** How many times a piece is as large as the halos around it, which every piece is sent anew. */
    private static final int TIMES_HALO = 8;

    /** Pieces that move so many bytes; the usual ones for 0. */
    public static PieceCut of(long bytes) {
        return bytes == 0 ? USUAL : new PieceCut(bytes, bytes);
    }

    /**
     * Units of each piece but perhaps the last of a chunk; all of them if it is better not cut.
     *
     * @param traffic bytes that the whole chunk moves, in both directions together
     */
    long units(JobSpec job, JobSpec.Phase phase, DeviceInfo device, long units, long traffic) {
        if (traffic < 2 * least) {
            return units;
        }
        double wanted = Math.max(least, Math.min(most, traffic / PIECES));
        long granule = Granules.ofDevice(job, device);
        if (granule >= units) { // as of a job that must not be cut
            return units;
        }
        long granules =
                Math.max((long) (units * (wanted / traffic)) / granule, ceil(TIMES_HALO * halo(phase), granule));
        long most = Math.max(1, granules) * granule;
        if (most >= units) {
            return units;
        }
        long pieces = ceil(units, most);
        return Math.min(units, ceil(ceil(units, pieces), granule) * granule);
    }

    private static long halo(JobSpec.Phase phase) {
        long widest = 0;
        for (Argument argument : phase.arguments()) {
            if (argument instanceof Argument.Buffer b) {
                Layout its = b.layout(); // whose halos may be as wide as the job; no chunk is
                widest = Math.max(
                        widest, Math.min(Integer.MAX_VALUE, its.before()) + Math.min(Integer.MAX_VALUE, its.after()));
            }
        }
        return widest;
    }

    private static long ceil(long a, long b) {
        return (a + b - 1) / b;
    }
}
