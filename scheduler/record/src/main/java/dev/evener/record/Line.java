package dev.evener.record;

import dev.evener.DeviceInfo;
import dev.evener.RunEvent;
import java.util.List;

/** A line of a record that is not the header. */
sealed interface Line {
    /** An Evener was opened. */
    record Opened(long number, long at, List<DeviceInfo> devices) implements Line {}

    /** A workload that requests will name. */
    record Task(long number, Recording.Task task) implements Line {}

    /** A job was asked for; the next one that is submitted is it. */
    record Request(long number, long task, long at, String policy, boolean fresh) implements Line {}

    /** What came out of a request. */
    record Result(long request, Recording.Digest digest) implements Line {}

    /** Something happened to a job. */
    record Event(RunEvent event) implements Line {}

    /**
     * The last line.
     *
     * @param lines lines before it
     * @param events events among them
     * @param waitedNanos how long threads had to wait for the record to be written
     */
    record End(long at, long lines, long events, long waitedNanos) implements Line {}
}
