package dev.evener.internal.opencl;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Copies between host memory that is page-locked and memory that is not, large pieces with the help of threads of its own:
 * one core copies more slowly than a bus transfers. Belongs to one lane's thread.
 */
final class HostCopier implements AutoCloseable {
    /** Below, waking a helper takes longer than it saves. */
    private static final int WORTH_SHARING = 2 << 20;

    private static final int MOST_HELPERS = 2;

    private final int helpers;
    private @Nullable ExecutorService threads;

    /** With as many helpers as so many cores can spare. */
    HostCopier(int cores) {
        helpers = Math.min(MOST_HELPERS, cores / 4);
    }

    /** Copies bytes; returns when that is done. */
    void copy(ByteBuffer from, int at, ByteBuffer to, int target, int bytes) {
        if (helpers == 0 || bytes < WORTH_SHARING) {
            to.put(target, from, at, bytes);
            return;
        }
        int part = bytes / (helpers + 1);
        CompletableFuture<?>[] parts = new CompletableFuture<?>[helpers];
        for (int i = 0; i < helpers; i++) {
            int skipped = i * part;
            parts[i] = CompletableFuture.runAsync(() -> to.put(target + skipped, from, at + skipped, part), threads());
        }
        int own = helpers * part;
        to.put(target + own, from, at + own, bytes - own);
        CompletableFuture.allOf(parts).join(); // which no interrupt ends
    }

    private ExecutorService threads() {
        ExecutorService present = threads;
        if (present == null) {
            present = Executors.newFixedThreadPool(helpers, task -> {
                Thread thread = new Thread(task, "evener-copy");
                thread.setDaemon(true);
                return thread;
            });
            threads = present;
        }
        return present;
    }

    @Override
    public void close() {
        ExecutorService present = threads;
        if (present != null) {
            present.shutdown();
        }
    }
}
