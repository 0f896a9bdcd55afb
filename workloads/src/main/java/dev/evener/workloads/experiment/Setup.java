package dev.evener.workloads.experiment;

import dev.evener.DeviceSelector;
import dev.evener.workloads.workload.Request;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One comparison that is to be made.
 *
 * @param set the devices as they are asked for
 * @param scenario what happens to them
 * @param request what they run
 * @param settings who competes, and how thoroughly
 * @param chunkDeadline after how long in a chunk a device counts as hung; null for no limit
 */
public record Setup(
        DeviceSelector set,
        Scenario scenario,
        Request request,
        Settings settings,
        @Nullable Duration chunkDeadline) {}
