package dev.evener.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives threads that compute a core of their own, on Linux, by way of {@code taskset}. Meant for lanes whose driver runs
 * kernels in the thread that enqueues them: the operating system cannot tell such a lane from one that merely waits, and on
 * a machine with as many cores as lanes it was seen to keep a lane, another device's worker thread and the submitting
 * thread on one core for seconds while another core was idle. Elsewhere, or without {@code taskset}, nothing happens.
 * Thread-safe.
 */
public final class CoreBinding {
    private static final Logger LOG = LoggerFactory.getLogger(CoreBinding.class);

    /** The core of each thread that has one of its own. Guarded by itself. */
    private static final TreeMap<String, Integer> OWNERS = new TreeMap<>();

    /** The cores this process had before any was given away. Guarded by {@link #OWNERS}. */
    private static final List<Integer> ALLOWED = new ArrayList<>();

    private CoreBinding() {}

    /**
     * Binds the calling thread to a core that no other caller got, the highest free one, and the rest of this process to
     * the other cores; threads made later inherit that from the thread that makes them. At least one core is left to them.
     */
    public static void ownCore() {
        synchronized (OWNERS) {
            try {
                HostMemory.processors(); // while they can be counted
                if (OWNERS.isEmpty()) {
                    ALLOWED.clear();
                    ALLOWED.addAll(allowedCores());
                }
                List<Integer> free = new ArrayList<>(ALLOWED);
                free.removeAll(OWNERS.values());
                if (free.size() >= 2) {
                    OWNERS.put(currentThread(), free.get(free.size() - 1));
                    apply();
                }
            } catch (IOException | RuntimeException e) {
                LOG.debug("no core could be bound", e);
            }
        }
    }

    /** Gives the calling thread's core back, if it has one. */
    public static void release() {
        synchronized (OWNERS) {
            try {
                if (OWNERS.remove(currentThread()) != null) {
                    apply();
                }
            } catch (IOException | RuntimeException e) {
                LOG.debug("a core could not be given back", e);
            }
        }
    }

    private static void apply() throws IOException {
        List<Integer> rest = new ArrayList<>(ALLOWED);
        rest.removeAll(OWNERS.values());
        String process = Long.toString(ProcessHandle.current().pid());
        // Twice: a thread made meanwhile by one that was not bound yet is missed the first time.
        taskset("-acp", rest, process);
        taskset("-acp", rest, process);
        for (var owner : OWNERS.entrySet()) {
            taskset("-cp", List.of(owner.getValue()), owner.getKey());
        }
    }

    /** The kernel's number of the calling thread. */
    private static String currentThread() throws IOException {
        // The link reads PID/task/TID.
        return Files.readSymbolicLink(Path.of("/proc/thread-self"))
                .getFileName()
                .toString();
    }

    private static List<Integer> allowedCores() throws IOException {
        List<Integer> cores = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("Cpus_allowed_list:")) {
                for (String range : line.substring(line.indexOf(':') + 1).trim().split(",", -1)) {
                    String[] ends = range.split("-", -1); // of one core, both are the same
                    int last = Integer.parseInt(ends[ends.length - 1]);
                    IntStream.rangeClosed(Integer.parseInt(ends[0]), last).forEach(cores::add);
                }
            }
        }
        return cores;
    }

    private static void taskset(String mode, List<Integer> cores, String id) throws IOException {
        String list = String.join(",", cores.stream().map(String::valueOf).toList());
        Process process = new ProcessBuilder("taskset", mode, list, id)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS) || process.exitValue() != 0) {
                LOG.debug("taskset {} {} {} failed", mode, list, id);
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
        }
    }
}
