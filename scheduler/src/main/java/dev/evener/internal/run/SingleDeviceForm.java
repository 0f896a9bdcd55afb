package dev.evener.internal.run;

import dev.evener.DeviceKind;
import dev.evener.internal.JobSpec;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.RecoverableLane;
import dev.evener.internal.recovery.Undo;
import dev.evener.model.HistorySnapshot;
import dev.evener.model.LaneEstimate;
import dev.evener.policy.WorkProfile;

/**
 * A job's form for one device: another job with the same result, which a lane has in one piece, a chunk for each phase. It has
 * units of its own, and what is known of phases is known of the job as it was submitted.
 */
final class SingleDeviceForm extends JobForm {
    private final JobSpec whole;
    private final LaneTask[] lanes;

    /**
     * @param whole the job as it was submitted
     * @param alone its form for one device
     */
    SingleDeviceForm(JobSpec whole, JobSpec alone, ScratchPool scratch, LaneTask[] lanes) {
        super(alone.inOnePiece(), alone.units(), scratch);
        this.whole = whole;
        this.lanes = lanes;
    }

    @Override
    LaneEstimate.Prior prior(HistorySnapshot model, int lane, int phase, long deviceSet) {
        return LaneEstimate.Prior.UNKNOWN;
    }

    @Override
    WorkProfile profile(HistorySnapshot model) {
        return WorkProfile.EVEN;
    }

    @Override
    long unitsAsSubmitted(long units) {
        return whole.units();
    }

    @Override
    long progress(PhaseRun of, long range) {
        long all = whole.units() * whole.phases().size();
        int phases = job().phases().size();
        return of.number() < phases - 1 ? all / phases : all - all / phases * (phases - 1);
    }

    @Override
    long unitsOfWhole(long done) {
        long all = job().units() * job().phases().size();
        return done == all ? whole.units() : (long) (whole.units() * (done / (double) all));
    }

    @Override
    public long unitsInOnePiece() {
        return job().units();
    }

    /** Nothing may be gone that the job begins with. */
    @Override
    public boolean canBeginAgain(int phase) {
        return phase == 0 || leavesInputsOf(whole);
    }

    /**
     * Whether a lane can run it in one piece: there is code for its kind of device that builds, no segment of a buffer ends
     * in between, and the device, and the host where it must save what is updated, have the memory.
     */
    @Override
    public boolean fits(RecoverableLane lane) {
        long units = job().units();
        Lane device = lanes[lane.index()].worker.lane();
        if (units == 0 || units > Integer.MAX_VALUE) {
            return false;
        }
        for (JobSpec.Phase phase : job().phases()) {
            if (!isWrittenFor(lane.device().kind(), phase)
                    || lane.health().cannotRun(phase, units)
                    || SegmentBoundaries.toNext(phase, 0) < units
                    || (whole.options().protectsUpdates() && Undo.mostUnits(phase) < units)) {
                return false;
            }
            try {
                if (device.maxChunkUnits(phase) < units) {
                    return false;
                }
            } catch (LaneFailure e) { // not even a unit
                return false;
            }
        }
        return true;
    }

    /** Whether there is code of a phase for a kind of device. */
    static boolean isWrittenFor(DeviceKind kind, JobSpec.Phase phase) {
        return kind == DeviceKind.JVM ? phase.jvm() != null : phase.source() != null;
    }
}
