package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.DocumentException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipException;

/**
 * Jobs of another system, to be simulated: known by what they took there, not by what they compute.
 *
 * @param jobs in the order of their arrival, the first at 0
 * @param order places among the jobs, so that each comes behind those that it waits for
 * @param notes what of the file was left out, or cannot be simulated, with its count, in one line each
 */
public record Trace(List<Job> jobs, List<Integer> order, List<String> notes) {
    /**
     * A job. At least one of its times is known; where both are equal, nothing is known of the processor's kind.
     *
     * @param id its name in the trace
     * @param line where it stands in its file, or its number in JSON, from 1
     * @param nanos its arrival
     * @param cpuNanos the time that one CPU would take for all of it; -1 if it cannot run on one
     * @param gpuNanos likewise on one GPU
     * @param parts into which it may be cut, at least 1: the processors that it had
     * @param priority the higher, the sooner; 0 is usual
     * @param after places among the jobs of those that must have ended before
     */
    public record Job(
            String id,
            int line,
            long nanos,
            long cpuNanos,
            long gpuNanos,
            int parts,
            int priority,
            List<Integer> after) {}

    /** Whether a file's name says that it holds a trace: {@code .swf}, {@code .csv} or {@code .json}, perhaps with {@code .gz}. */
    public static boolean isNameOf(Path file) {
        return Arrivals.isNameOf(file) || Arrivals.plainName(file).endsWith(".json");
    }

    /**
     * Reads a trace; docs/records.md describes its forms.
     *
     * @param rules such as {@code unit=ms} or, for a table, {@code arrival=HEADING}
     * @throws IOException if a file cannot be read
     * @throws DocumentException if it is not right: which file, which line, what is wrong, and what is allowed
     * @throws IllegalArgumentException if a rule is none
     */
    public static Trace read(Path file, List<String> rules) throws IOException {
        TraceReader reader = new TraceReader(rules);
        try {
            return reader.read(file);
        } catch (DocumentException e) {
            throw e.in(reader.at());
        } catch (ZipException | EOFException e) {
            throw new DocumentException(file.toString(), "is damaged: " + e.getMessage());
        }
    }
}
