package dev.evener.internal;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.KernelSource;
import dev.evener.ManagedBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Brings the content of a buffer to devices before a job needs it there: to the host by a scope to read, to a device with memory
 * of its own by a job that reads all of the buffer and does nothing, so that what moves, and when, is decided where it is for any
 * job. Any thread.
 */
public final class Prefetch {
    /** Not by the name of {@code prefetch}, which is a function of OpenCL C. */
    private static final KernelSource SOURCE =
            KernelSource.of("prefetch", "__kernel void receive(__global const void *content) {}");

    private Prefetch() {}

    /**
     * Starts it.
     *
     * @param submitter queues a job; empty if it is refused
     * @return completed when it has ended, however it did
     */
    public static CompletableFuture<@Nullable Void> start(
            ManagedBuffer buffer, List<DeviceInfo> devices, Function<Job, Optional<JobFuture>> submitter) {
        List<CompletableFuture<@Nullable Void>> all = new ArrayList<>();
        if (buffer.segmentCount() > 1) { // of which no job sees all at once
            return CompletableFuture.completedFuture(null);
        }
        if (devices.stream().anyMatch(DeviceInfo::sharesHostMemory)) {
            all.add(buffer.readAsync(view -> "there").handle((there, lost) -> null));
        }
        for (DeviceInfo device : devices) {
            if (!device.sharesHostMemory()) {
                submitter.apply(job(buffer, device)).ifPresent(job -> all.add(job.handle((report, failure) -> null)));
            }
        }
        return all.stream()
                .reduce((one, other) -> one.thenCombine(other, (a, b) -> null))
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    private static Job job(ManagedBuffer buffer, DeviceInfo device) {
        return Job.named("prefetch")
                .source(SOURCE)
                .units(1)
                .devices(DeviceSelector.where(each -> each.id().equals(device.id())))
                .kernel("receive")
                .reads(buffer, Access.whole())
                .build();
    }
}
