package dev.evener.internal.cl;

import java.lang.reflect.Field;
import java.util.concurrent.Executor;
import org.jocl.CL;
import org.jocl.cl_event;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spares the threads that JOCL starts for transfers. It has one wait for every transfer that does not block, to keep the
 * host's memory from the garbage collector meanwhile. A lane does so itself, and such threads contend for the driver's locks:
 * with them two H200s together transferred 1.05 times as much as one, without them 1.7 times (docs/performance.md).
 *
 * <p>JOCL has no switch for that, but an executor in a field that is not final. The one put there takes what comes from calls
 * between {@link #spare()} and {@link Call#end} and passes on everything else, so that other users of JOCL in the process see
 * no difference. Should a JOCL come without that field, its threads are put up with. Thread-safe.
 */
final class TransferThreads implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(TransferThreads.class);
    private static final ThreadLocal<Call> CALLS = ThreadLocal.withInitial(Call::new);

    static {
        replace();
    }

    private final Executor original;

    private TransferThreads(Executor original) {
        this.original = original;
    }

    /** One thread's present call of JOCL's. Belongs to it. */
    static final class Call {
        private boolean sparing;
        private boolean spared;

        /**
         * To be called after each {@link #spare()}, whatever became of the transfer. Until it has ended, its memory must be kept
         * reachable.
         *
         * @param event the transfer's, on which JOCL may have left a reference for the thread that there is none of
         */
        void end(cl_event event) {
            boolean leftOne = spared;
            sparing = false;
            spared = false;
            if (leftOne) {
                Cl.check("releasing an event", () -> CL.clReleaseEvent(event));
            }
        }
    }

    /** No thread is started for the transfer that this thread enqueues next. */
    static Call spare() {
        Call call = CALLS.get();
        call.sparing = true;
        return call;
    }

    @Override
    public void execute(Runnable waiting) {
        Call call = CALLS.get();
        if (call.sparing) {
            call.spared = true;
        } else {
            original.execute(waiting);
        }
    }

    private static void replace() {
        try {
            Field field = CL.class.getDeclaredField("referenceReleaseExecutor");
            field.setAccessible(true);
            Executor original = (@Nullable Executor) field.get(null);
            if (original != null) {
                field.set(null, new TransferThreads(original));
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.debug("JOCL starts a thread for each transfer", e);
        }
    }
}
