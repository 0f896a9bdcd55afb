package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.memory.LaneMemory;
import java.util.Optional;
import java.util.ServiceLoader;

/** What runs the chunks of the checking mode: a service of the module for applications' tests. */
public interface CheckingMode {
    /** One of the chunks of a lane. */
    ChunkBinding chunk(ClContext context, DeviceInfo info, Kernels kernels, ClCommands commands, LaneMemory lane);

    /** The one there is; none if the module is not there. */
    static Optional<CheckingMode> find() {
        return ServiceLoader.load(CheckingMode.class, CheckingMode.class.getClassLoader())
                .findFirst();
    }
}
