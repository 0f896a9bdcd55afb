package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.history.History;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.Request;

/** Who hears of the jobs of an experiment: a record, charts and traces. One thread. */
public interface Watch {
    /**
     * Has an Evener watched. One may be open at a time: what is heard from its opening to that of the next one belongs together.
     *
     * @param title what it does, in a few words
     */
    Evener.Builder on(Evener.Builder builder, String title);

    /** For one device with a history that begins empty, watched as {@link #on} says. */
    default Evener.Builder alone(DeviceInfo device, String title) {
        return on(Evener.builder().devices(DeviceSelector.parse(device.id())).history(History.inMemory()), title);
    }

    /**
     * Where jobs are noted that can be run again.
     *
     * @param request what they are made from
     * @param devices the selector of the Evener's devices
     */
    JobLog jobs(Request request, String devices);
}
