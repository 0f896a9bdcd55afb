package dev.evener.internal.run;

import dev.evener.internal.job.JobSpec;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** A lane that takes a chunk while it runs another: its device does a chunk's work when the chunk is waited for. */
class QueueingLane extends FakeLane {

    private record UnderWay(Executed chunk, Runnable work) {}

    /** What was called, in words. */
    final List<String> calls = new CopyOnWriteArrayList<>();
    /** First units of the chunks that went on when the one before had ended. */
    final List<Long> proceeded = new CopyOnWriteArrayList<>();
    /** Chunks that counted. */
    final List<Executed> counted = new CopyOnWriteArrayList<>();

    private final ArrayDeque<UnderWay> underWay = new ArrayDeque<>();
    /** Whether the device has done what it was given first. */
    volatile BooleanSupplier ended = () -> false;
    /** Told of each chunk before it is enqueued; false refuses it. */
    volatile Admission admission = (chunk, behind) -> true;

    private Executed last = new Executed("", "", 0, 0);

    /** Whether a chunk may be enqueued. */
    interface Admission {
        boolean admits(Executed chunk, boolean behind);
    }

    QueueingLane(String id) {
        super(id);
    }

    @Override
    public boolean enqueue(
            JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
        Executed chunk = new Executed(job.name(), phase.kernel(), firstUnit, units);
        if (!admission.admits(chunk, !underWay.isEmpty())) {
            calls.add("refuse " + firstUnit);
            return false;
        }
        calls.add("enqueue " + firstUnit);
        underWay.add(new UnderWay(chunk, () -> {
            executed.add(chunk);
            times.start = 1;
            work.run(job, phase, firstUnit, units, times);
        }));
        if (underWay.size() > 2) {
            throw new AssertionError("more than two under way");
        }
        return true;
    }

    @Override
    public boolean takesAnother() {
        return underWay.size() == 1 && !ended.getAsBoolean();
    }

    @Override
    public void proceed() {
        if (underWay.size() != 1) {
            throw new AssertionError(underWay.size() + " under way");
        }
        proceeded.add(underWay.element().chunk().firstUnit());
    }

    @Override
    public void await() {
        UnderWay first = underWay.remove();
        calls.add("await " + first.chunk().firstUnit());
        last = first.chunk();
        first.work().run();
    }

    @Override
    public void commit() {
        super.commit();
        counted.add(last);
    }
}
