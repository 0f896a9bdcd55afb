package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.workload.Request;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Jobs in the order of their arrival, the first at 0.
 *
 * @param jobs the jobs
 * @param notes what of the file was left out or changed, in one line each
 */
public record Arrivals(List<Arrival> jobs, List<String> notes) {
    /**
     * A job and when it arrives.
     *
     * @param nanos after the first one, at least 0
     * @param request what it runs
     * @param line where it stands in its file, from 1
     */
    public record Arrival(long nanos, Request request, int line) {}

    /** Most jobs of a file. */
    static final int MOST_JOBS = 1_000_000;

    /** The latest arrival, in seconds: beyond that nanoseconds would not fit. */
    static final double MOST_SECONDS = 9e9;

    static final int LONGEST_LINE = 64 << 10;
    static final long LARGEST = 1L << 28;
    private static final String PACKED = ".gz";

    /** Whether a file's name says that it holds arrivals: {@code .swf} or {@code .csv}, perhaps with {@code .gz}. */
    public static boolean isNameOf(Path file) {
        String name = plainName(file);
        return name.endsWith(".swf") || name.endsWith(".csv");
    }

    /** Whether such a file is a log, whose jobs become others' by rules. */
    public static boolean isMapped(Path file) {
        return plainName(file).endsWith(".swf");
    }

    static String plainName(Path file) {
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        return name.endsWith(PACKED) ? name.substring(0, name.length() - PACKED.length()) : name;
    }

    /**
     * Reads a file: a Standard Workload Format log if its name ends in {@code .swf}, else CSV; unpacked first if it ends in
     * {@code .gz}. docs/records.md describes both.
     *
     * @param rules what becomes of the jobs of a log; CSV says so itself
     * @throws IOException if the file cannot be read
     * @throws DocumentException if it is not right: which file, which line, what is wrong, and what is allowed
     */
    public static Arrivals read(Path file, SwfRules rules) throws IOException {
        try (BoundedLines lines = new BoundedLines(open(file), LONGEST_LINE, LARGEST)) {
            return isMapped(file) ? SwfReader.read(lines, rules) : CsvReader.read(lines);
        } catch (DocumentException e) {
            throw e.in(file);
        } catch (ZipException | EOFException e) {
            throw new DocumentException(file.toString(), "is damaged: " + e.getMessage());
        }
    }

    static InputStream open(Path file) throws IOException {
        InputStream raw = BoundedLines.open(file);
        if (!file.toString().toLowerCase(Locale.ROOT).endsWith(PACKED)) {
            return raw;
        }
        try {
            return new GZIPInputStream(new BufferedInputStream(raw));
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    /** In order of arrival, those at the same time in that of the file; the first arrives at 0. */
    static Arrivals sorted(List<Arrival> jobs, List<String> notes) {
        if (jobs.isEmpty()) {
            String why = notes.isEmpty() ? "" : ": " + String.join("; ", notes);
            throw new DocumentException("", "holds no job that could be run" + why);
        }
        List<Arrival> sorted = new ArrayList<>(jobs);
        sorted.sort(Comparator.comparingLong(Arrival::nanos));
        long first = sorted.get(0).nanos();
        sorted.replaceAll(a -> new Arrival(a.nanos() - first, a.request(), a.line()));
        return new Arrivals(sorted, notes);
    }

    /** One more job. */
    static void add(List<Arrival> jobs, Arrival job, BoundedLines lines) {
        if (jobs.size() == MOST_JOBS) {
            throw lines.wrong("there are more than " + MOST_JOBS + " jobs");
        }
        jobs.add(job);
    }
}
