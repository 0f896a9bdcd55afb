package dev.evener.record;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent;
import java.util.List;

/**
 * A line of a record that is not the header. The first component names the kind of line, and each is a field of the line as
 * {@link Shape} has it; those of a record within are fields of the line itself.
 */
sealed interface Line {
    /** An Evener was opened. */
    record Opened(long run, long at, List<DeviceInfo> devices) implements Line {}

    /** A workload that requests will name. */
    record Task(long task, Recording.Task what) implements Line {}

    /** A job was asked for; the next one that is submitted is it. */
    record Request(long request, long task, long at, String policy, boolean fresh) implements Line {}

    /** What came out of a request. */
    record Result(long result, Recording.Digest digest) implements Line {}

    /** An event of a kind that is not known here, such as a newer Evener may write. */
    record Skipped(String kind) implements Line {}

    /** Something happened to a job. Its first field is {@code event} and says what. */
    record Event(RunEvent event) implements Line {}

    /**
     * The last line.
     *
     * @param end when it was written
     * @param lines lines before it
     * @param events events among them
     * @param waitedNanos how long threads had to wait for the record to be written
     */
    record End(long end, long lines, long events, long waitedNanos) implements Line {}
}
