package dev.evener.workloads.view;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent;
import java.util.List;

/**
 * What happened on one Evener.
 *
 * @param title what was run, in a few words
 * @param devices its devices, in lane order: what events mean by a device's number
 * @param events in the order in which they were heard; jobs whose submission is not among them are not shown
 * @param forgotten how many events came before them and were not kept
 */
public record RunEvents(String title, List<DeviceInfo> devices, List<RunEvent> events, long forgotten) {
    public RunEvents {
        devices = List.copyOf(devices);
        events = List.copyOf(events);
    }
}
