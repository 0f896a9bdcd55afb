package dev.evener;

import dev.evener.model.StoredHistory;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What each device achieved on each kind of job. Jobs are of one kind if kernels, sources, build options and data shapes are
 * equal; sizes are told apart within a kind, and sizes not seen before are predicted from those that were. Thread-safe.
 *
 * <p>Of more than 16,384 kinds of jobs the one that was used longest ago is forgotten, in the file too. On two devices a kind takes
 * some 7 KB of memory and 3 KB of the file.
 *
 * <p>A history with a file is saved when its {@link Evener} closes, and from time to time by a thread of its own. Processes that
 * use one file at the same time keep what each of them learnt: of a kind of job that several ran the newest. A save costs what has
 * changed, and a process that is killed in the middle of it loses what it was writing, no more.
 */
public interface History {
    /** A history that is forgotten at the end. */
    static History inMemory() {
        return StoredHistory.inMemory();
    }

    /**
     * The history kept in a file. A file that is missing gives an empty history; one that is something else or of another version
     * is set aside under a name of its own, with a warning, and an empty history takes its place. What is damaged of a file costs
     * the kinds of jobs that it was about, with a warning.
     */
    static History at(Path file) {
        return StoredHistory.at(file);
    }

    /** The file it is kept in, or null. */
    @Nullable
    Path file();

    /** What each device takes for each kind of job and size, in a stable order. */
    List<Entry> entries();

    /** Forgets everything, the file's content included when it is saved the next time. */
    void clear();

    /**
     * Forgets what was learnt of a device in all kinds of jobs, and of all sets that it was in: what other devices take alone stays. With
     * the next {@link #save} it goes from the file, too. Another process that uses the file at that time forgets it when it saves next, with
     * what it has learnt of it until then, and learns it anew.
     *
     * @param device its {@linkplain dev.evener.DeviceInfo#identity identity}, as {@link Entry#devices} has it
     * @return whether anything was known of it here; if not, it is forgotten in the file and by others as well
     */
    boolean forget(String device);

    /**
     * Writes what changed to its file, and takes over what other processes have saved there meanwhile. A failure is a warning,
     * since results do not depend on it.
     */
    void save();

    /**
     * What it holds, as its file would: for a process that has no file in common with this one, to {@link #seed} its own.
     */
    default byte[] bytes() {
        return bytes(Instant.EPOCH);
    }

    /**
     * The same of those kinds of jobs alone that ran at this time or later: what one who was told before does not know yet.
     */
    byte[] bytes(Instant since);

    /**
     * Takes over what another one learnt, as if both had saved to one file: of a kind of job that both know the newest.
     *
     * @param bytes what {@link #bytes} gave
     * @throws IllegalArgumentException if they are damaged, or of another version; nothing is taken over then
     */
    void seed(byte[] bytes);

    /**
     * How long jobs of one kind took on one set of devices, whatever their size.
     *
     * @param kernels kernel function of each phase
     * @param shapes what was built for each phase and the sizes per unit
     * @param devices identities
     * @param units size of the latest job, rounded down to a power of two
     * @param nanosPerUnit wall time over units, of the latest jobs
     * @param doubt relative standard deviation of the estimate
     * @param jobs how many were seen
     */
    record Entry(
            List<String> kernels,
            List<String> shapes,
            List<String> devices,
            long units,
            double nanosPerUnit,
            double doubt,
            long jobs) {}
}
