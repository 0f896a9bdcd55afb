package dev.evener.internal.cl;

import java.lang.reflect.Field;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jocl.CL;
import org.jocl.cl_event;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spares the threads that JOCL starts for transfers. It has one wait for every transfer that does not block, to keep the
 * host's memory from the garbage collector meanwhile. A lane does so itself, and such threads contend for the driver's locks:
 * with them two H200s together transferred 1.05 times as much as one, without them 1.7 times.
 *
 * <p>JOCL has no switch for that, but an executor in a field that is not final. The one put there takes what comes from calls
 * between {@link #spare()} and {@link Call#end} and passes on everything else, so that other users of JOCL in the process see
 * no difference. Should a JOCL come without that field, its threads are put up with. Thread-safe.
 *
 * <p>It is there while a context is, and a thread has something of it during a call alone: where several applications of a server share
 * one JOCL, none of them is kept in memory after it was undeployed. Of two that have contexts, one has its transfers spared.
 */
final class TransferThreads implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(TransferThreads.class);
    private static final String ORIGINAL = "original";
    private static final ThreadLocal<@Nullable Call> CALLS = new ThreadLocal<>();
    private static int users; // guarded by the class
    private static @Nullable TransferThreads present; // likewise

    private final Executor original;

    private TransferThreads(Executor original) {
        this.original = original;
    }

    /** One thread's present call of JOCL's. Belongs to it. */
    static final class Call {
        private boolean spared;

        /**
         * To be called after each {@link #spare()}, whatever became of the transfer. Until it has ended, its memory must be kept
         * reachable.
         *
         * @param event the transfer's, on which JOCL may have left a reference for the thread that there is none of
         */
        void end(cl_event event) {
            CALLS.remove();
            if (spared) {
                Cl.check("releasing an event", () -> CL.clReleaseEvent(event));
            }
        }
    }

    /** No thread is started for the transfer that this thread enqueues next. */
    static Call spare() {
        Call call = new Call();
        CALLS.set(call);
        return call;
    }

    @Override
    public void execute(Runnable waiting) {
        Call call = CALLS.get();
        if (call != null) {
            call.spared = true;
        } else {
            original.execute(waiting);
        }
    }

    /** A context is opened. */
    static synchronized void retain() {
        if (users++ == 0) {
            exchange(found -> {
                present = found == null ? null : new TransferThreads(original(found));
                return present;
            });
        }
    }

    /** It is closed. */
    static synchronized void release() {
        TransferThreads own = present;
        if (--users == 0 && own != null) {
            present = null;
            exchange(found -> found == own ? own.original : found);
        }
    }

    /** JOCL's own executor, be it behind one of these of another class loader. */
    private static Executor original(Executor found) {
        if (found.getClass().getName().equals(TransferThreads.class.getName())) {
            try {
                Field field = found.getClass().getDeclaredField(ORIGINAL);
                field.setAccessible(true);
                return (Executor) field.get(found);
            } catch (ReflectiveOperationException | RuntimeException e) {
                LOG.debug("another Evener's executor is passed on to", e);
            }
        }
        return found;
    }

    private static void exchange(UnaryOperator<@Nullable Executor> by) {
        try {
            Field field = CL.class.getDeclaredField("referenceReleaseExecutor");
            field.setAccessible(true);
            field.set(null, by.apply((@Nullable Executor) field.get(null)));
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.debug("JOCL starts a thread for each transfer", e);
        }
    }
}
