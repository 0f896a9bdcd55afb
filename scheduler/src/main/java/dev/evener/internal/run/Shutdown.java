package dev.evener.internal.run;

import dev.evener.internal.ManagedData;
import dev.evener.internal.OpenBuffers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what an Evener has opened, in order and once: when that is closed, or when nothing refers to it any more, which is said with where
 * it was opened. Does not refer to the Evener. Any thread.
 */
public final class Shutdown implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);
    private static final Duration SCOPE_LIMIT = Duration.ofSeconds(30);

    private final Dispatcher dispatcher;
    private final ManagedData.Turns turns;
    private final OpenBuffers buffers;
    private final Throwable opened = new Throwable("it was opened here");
    private final AtomicBoolean begun = new AtomicBoolean();

    public Shutdown(Dispatcher dispatcher, ManagedData.Turns turns, OpenBuffers buffers) {
        this.dispatcher = dispatcher;
        this.turns = turns;
        this.buffers = buffers;
    }

    public boolean isBegun() {
        return begun.get();
    }

    /** Begins and waits for it, unless it was begun. */
    public void begin() {
        if (begun.compareAndSet(false, true)) {
            dispatcher.stop();
            turns.close(SCOPE_LIMIT);
            buffers.close();
            dispatcher.close();
        }
    }

    /** Nothing refers to the Evener any more: jobs that are under way end by themselves. */
    @Override
    public void run() {
        if (!isBegun()) {
            LOG.warn("an Evener was not closed, and nothing refers to it any more: it is closed now", opened);
            Thread thread = new Thread(
                    () -> {
                        boolean ignored = dispatcher.drain(Duration.ofSeconds(Long.MAX_VALUE));
                        begin();
                    },
                    "evener-shutdown");
            thread.setDaemon(true);
            thread.start();
        }
    }
}
