package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.DeviceProbe;
import dev.evener.DeviceProbe.Figure;
import dev.evener.DeviceProbe.Transfers;
import dev.evener.workloads.document.TextTable;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What devices were measured to do, as a table: a row for a device, and one more for its second kind of host memory. */
final class ProbeTable {
    private final TextTable table = new TextTable(
            "id",
            ">launch, us",
            ">copy, GB/s",
            ">read, GB/s",
            "host memory",
            ">to device, GB/s",
            ">from device, GB/s",
            ">both ways, GB/s");

    private boolean empty = true;

    void add(DeviceInfo device, DeviceProbe probe) {
        empty = false;
        String[] own = {
            device.id(),
            text(probe.launchNanos(), 1e-3),
            text(probe.copyBytesPerSecond(), 1e-9),
            text(probe.readBytesPerSecond(), 1e-9)
        };
        Transfers pinned = probe.pinned();
        Transfers pageable = probe.pageable();
        if (pinned == null || pageable == null) {
            table.row(own[0], own[1], own[2], own[3], "in place", "none needed", "none needed", "none needed");
            return;
        }
        table.row(cells(own, "page-locked", pinned));
        table.row(cells(new String[] {"", "", "", ""}, "pageable", pageable));
    }

    private static String[] cells(String[] own, String memory, Transfers transfers) {
        return new String[] {
            own[0],
            own[1],
            own[2],
            own[3],
            memory,
            text(transfers.toDevice(), 1e-9),
            text(transfers.fromDevice(), 1e-9),
            text(transfers.bothWays(), 1e-9)
        };
    }

    /** With three digits and its spread. */
    private static String text(Figure figure, double scale) {
        double value = figure.median() * scale;
        int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + digits + "f +-%.0f%%", value, 100 * figure.spread());
    }

    /** The table, or null if nothing was measured. */
    @Nullable
    TextTable table() {
        return empty ? null : table;
    }
}
