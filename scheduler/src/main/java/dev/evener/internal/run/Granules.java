package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.EvenerException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.Variant;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.job.JobSpec;
import java.util.List;

/**
 * The smallest run of units at whose multiples every buffer of a job may be cut on every device in use: a cut must fall on
 * each device's sub-buffer alignment and cache line for each sliced buffer, and leave whole work-groups behind it.
 *
 * <p>A launch must also end at a seam, where a segment of one of its sliced buffers does: what a kernel sees of a buffer is one piece of
 * memory. So must a chunk, but on lanes that run it in pieces. Stateless; any thread.
 */
public final class Granules {
    /** Fewest granules of a job for which it is cut where memory wants it. */
    private static final int LEAST_GRANULES = 20;

    private Granules() {}

    /**
     * Units in a granule, at least 1.
     *
     * @param devices must not be changed afterwards
     * @throws EvenerException if there is none, or if a buffer's segments end between granules
     */
    static long unitsPerGranule(JobSpec job, List<DeviceInfo> devices) {
        long granule = job.findings().find(Long.class, devices, () -> common(job, devices, true));
        requireLegalSeams(job, granule);
        return granule;
    }

    /** Units at whose multiples a device may cut its own chunks of a job further, at least 1. */
    public static long ofDevice(JobSpec job, DeviceInfo device) {
        return common(job, List.of(device), false);
    }

    /** Units at whose multiples a job may be cut as far as its kernels are concerned, wherever their memory lies; at least 1. */
    public static long ofKernels(JobSpec job, DeviceKind kind) {
        return ofKernels(job, job.granule(), kind, 1);
    }

    private static long ofKernels(JobSpec job, long least, DeviceKind kind, int openMultiple) {
        long granule = least;
        for (JobSpec.Phase phase : job.phases()) {
            for (JobSpec.Pass pass : phase.passes()) {
                granule = lcm(job, granule, groupUnits(job, pass, kind, openMultiple));
            }
        }
        return granule;
    }

    private static long common(JobSpec job, List<DeviceInfo> devices, boolean finer) {
        long kernels = job.granule();
        for (DeviceInfo device : devices) {
            kernels = ofKernels(job, kernels, device.kind(), device.workGroupMultiple());
        }
        long granule = kernels;
        for (DeviceInfo device : devices) {
            long alignment = Math.max(device.alignmentBytes(), Math.max(1, device.cacheLineBytes()));
            for (JobSpec.Phase phase : job.phases()) {
                for (Argument.Buffer b : phase.buffers()) {
                    granule = lcm(job, granule, alignment / gcd(alignment, b.sliceBytesPerUnit()));
                }
            }
        }
        return finer && granule > job.units() / LEAST_GRANULES && mayBeCutAnywhere(job) ? kernels : granule;
    }

    /** Whether lanes need no aligned part of any buffer: kernels see it whole, or what a chunk needs of it is copied for that alone. */
    private static boolean mayBeCutAnywhere(JobSpec job) {
        for (JobSpec.Phase phase : job.phases()) {
            for (Argument.Buffer b : phase.buffers()) {
                if (!phase.seesJob()
                        && b.bytesPerUnit() > 0
                        && (b.range().segmentCount() > 1 || JobBuffers.areSeenAgain(job, b.buffer()))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The least multiple of a granule of which a job has so few that their numbers fit 31 bits. */
    static long poolGranule(JobSpec job, long granule) {
        long multiple = granule;
        while (count(job.units(), multiple) > Integer.MAX_VALUE) {
            multiple *= 2;
        }
        return multiple;
    }

    /** How many granules units are, of which the last may be short. */
    static long count(long units, long granule) {
        return units / granule + (units % granule == 0 ? 0 : 1);
    }

    /**
     * The granule at which each lane's range begins, in lane order, and at the end how many there are.
     *
     * @param granules of the job, which fit 31 bits
     * @param shares granules per lane
     * @param policy the policy that chose them, for the message
     * @throws EvenerException if the shares do not cover the job exactly
     */
    static int[] bounds(long granules, int lanes, long[] shares, String policy) {
        if (shares.length != lanes) {
            throw new JobRejectedException(
                    "policy " + policy + " gave shares to " + shares.length + " lanes, but there are " + lanes);
        }
        int[] bounds = new int[lanes + 1];
        long sum = 0;
        for (int i = 0; i < lanes; i++) {
            if (shares[i] < 0 || shares[i] > granules - sum) {
                throw new JobRejectedException("policy " + policy + " gave lane " + i + " " + shares[i] + " of "
                        + granules + " granules after " + sum + " were given away");
            }
            sum += shares[i];
            bounds[i + 1] = Math.toIntExact(sum);
        }
        if (sum != granules) {
            throw new JobRejectedException("policy " + policy + " shared out " + sum + " of " + granules + " granules");
        }
        return bounds;
    }

    /** Units after which a launch has filled whole work-groups, where a size is left open of this many work-items. */
    private static long groupUnits(JobSpec job, JobSpec.Pass pass, DeviceKind kind, int openMultiple) {
        Variant variant = pass.variant(kind);
        int along = job.space().along();
        int size = pass.group(kind, along);
        if (variant.groups() > 0) {
            return 1; // its groups do not go by units
        }
        boolean inRows = job.space().dimensions() > 1; // where its size is open, groups lie within a row
        long multiple = size > 0 ? size : inRows ? 1 : Math.max(1, openMultiple);
        // n units make n * itemsPerUnit / unitsPerItem items; the least n that is a whole multiple of the group.
        long wanted = multiple * variant.unitsPerItem();
        return wanted / gcd(wanted, variant.itemsPerUnit());
    }

    private static long lcm(JobSpec job, long a, long b) {
        try {
            return Math.multiplyExact(a / gcd(a, b), b);
        } catch (ArithmeticException e) {
            throw new JobRejectedException(
                    "job '" + job.name()
                            + "': no common boundary of its buffers fits 63 bits; choose element counts per"
                            + " unit with fewer odd factors",
                    e);
        }
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    // ---- where segments of buffers end ----

    /** Units from this one to the next seam of a phase; {@link Long#MAX_VALUE} if there is none. Allocates nothing. */
    public static long toNextSeam(JobSpec.Phase phase, long unit) {
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
    private static void requireLegalSeams(JobSpec job, long granule) {
        for (int p = 0; p < job.phases().size(); p++) {
            JobSpec.Phase phase = job.phases().get(p);
            for (int i = 0; i < phase.arguments().size(); i++) {
                long spacing = spacing(phase.arguments().get(i));
                if (spacing > 0 && spacing < job.units() && spacing % granule != 0) {
                    Argument.Buffer b = (Argument.Buffer) phase.arguments().get(i);
                    long perUnit = b.layout().unit() / b.range().type().bytes();
                    throw new JobRejectedException("job '" + job.name() + "', " + phase.describe(i)
                            + " lies in segments of " + spacing + " units, but on these devices the job may be cut only"
                            + " every " + granule + " units (memory alignment and work-group sizes); allocate it with"
                            + " allocate(type, elements, " + perUnit * granule + ")");
                }
            }
        }
    }

    /** Units per segment of a sliced buffer that has several, else 0. */
    private static long spacing(Argument argument) {
        return argument instanceof Argument.Buffer b
                        && b.view() == Argument.View.OWN
                        && b.range().segmentCount() > 1
                ? b.buffer().segmentBytes() / b.bytesPerUnit()
                : 0;
    }
}
