package dev.evener.internal.checking;

import dev.evener.DeviceInfo;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.lane.CheckingMode;
import dev.evener.internal.lane.ChunkBinding;
import dev.evener.internal.lane.Kernels;
import dev.evener.internal.memory.LaneMemory;

/** The checking mode as the scheduler finds it. */
public final class CheckedChunks implements CheckingMode {
    @Override
    public ChunkBinding chunk(
            ClContext context, DeviceInfo info, Kernels kernels, ClCommands commands, LaneMemory lane) {
        return new CheckedChunk(context, info, kernels, commands, lane);
    }
}
