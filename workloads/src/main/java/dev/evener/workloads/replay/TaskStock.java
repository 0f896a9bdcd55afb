package dev.evener.workloads.replay;

import dev.evener.Evener;
import dev.evener.frames.FrameException;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.record.Recording;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tasks with their data, kept within a limit on memory, which one task may exceed: those used longest ago go first. Requests
 * that are under way at once and begin with fresh data have each a copy of their own. One thread.
 */
final class TaskStock implements AutoCloseable {
    private static final long MOST_BYTES =
            Math.min(1L << 30, Runtime.getRuntime().maxMemory() / 4);

    private final Evener evener;
    private final Tuning tuning;
    private final long most;
    private final Set<Copy> copies = new LinkedHashSet<>(); // in the order of their use
    private final Map<Recording.Task, Copy> latest = new HashMap<>();
    private long bytes;

    /** The data of a task. */
    static final class Copy {
        private final Recording.Task task;
        private final ReplayTask data;
        private boolean taken;
        private boolean checked;

        private Copy(Recording.Task task, ReplayTask data) {
            this.task = task;
            this.data = data;
        }

        ReplayTask data() {
            return data;
        }
    }

    TaskStock(Evener evener, Tuning tuning) {
        this(evener, tuning, MOST_BYTES);
    }

    /** @param most bytes that are kept; further ones are made all the same for a request while no other has any */
    TaskStock(Evener evener, Tuning tuning, long most) {
        this.evener = evener;
        this.tuning = tuning;
        this.most = most;
    }

    /**
     * The data of a request, fresh if it wants that, beside those that are taken already.
     *
     * @return null if there is none now, but will be after {@link #release}: there is no room, or they hold a result that is
     *     still to be checked
     * @throws FrameException if a frame cannot be read
     */
    @Nullable
    Copy take(Recording.Request request) throws FrameException {
        Copy copy = latest.get(request.task());
        if (copy != null && copy.taken && !request.fresh() && copy.checked) {
            return null;
        }
        if (copy == null || (copy.taken && request.fresh())) {
            copy = idle(request.task());
        }
        if (copy == null) {
            if (!room()) {
                return null;
            }
            copy = new Copy(request.task(), ReplayTask.prepare(evener, tuning, request.task()));
            bytes += copy.data.bytes();
        }
        if (request.fresh()) {
            copy.data.refresh().run();
        }
        copy.taken = true;
        copy.checked = request.result() != null;
        copies.remove(copy); // it goes to the end
        copies.add(copy);
        latest.put(request.task(), copy);
        return copy;
    }

    private @Nullable Copy idle(Recording.Task task) {
        return copies.stream()
                .filter(c -> !c.taken && c.task.equals(task))
                .findFirst()
                .orElse(null);
    }

    /** Makes room for one more; false if those that are taken fill it. */
    private boolean room() {
        for (Iterator<Copy> all = copies.iterator(); bytes > most && all.hasNext(); ) {
            Copy oldest = all.next();
            if (!oldest.taken) {
                all.remove();
                latest.remove(oldest.task, oldest);
                bytes -= oldest.data.bytes();
                oldest.data.close();
            }
        }
        return bytes <= most || copies.isEmpty();
    }

    /** Nothing is taken any more; no job may be under way. */
    void release() {
        copies.forEach(copy -> copy.taken = false);
    }

    @Override
    public void close() {
        copies.forEach(copy -> copy.data.close());
        copies.clear();
        latest.clear();
    }
}
