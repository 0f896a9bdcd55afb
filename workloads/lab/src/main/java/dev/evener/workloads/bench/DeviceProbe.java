package dev.evener.workloads.bench;

import dev.evener.workloads.document.Statistics;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a device was measured to do, apart from any job. Bandwidths are in bytes a second, 1 GB/s being 10^9 of them.
 *
 * @param launchNanos from the call that enqueues the smallest kernel until the host knows that it has ended
 * @param copyBytesPerSecond bytes read and bytes written, together, of a kernel that copies memory of the device
 * @param readBytesPerSecond of a kernel that reads memory of the device and writes next to nothing
 * @param pinned transfers between the device and page-locked host memory, or null if it works on host memory in place
 * @param pageable transfers between the device and any other host memory, or null if it works on host memory in place
 */
public record DeviceProbe(
        Figure launchNanos,
        Figure copyBytesPerSecond,
        Figure readBytesPerSecond,
        @Nullable Transfers pinned,
        @Nullable Transfers pageable) {

    /**
     * Something measured several times.
     *
     * @param median above 0
     * @param spread median absolute deviation from the median, as a part of it
     * @param samples how often it was measured, at least 1
     */
    public record Figure(double median, double spread, int samples) {
        static Figure of(double[] values) {
            double median = Statistics.median(values);
            return new Figure(median, Statistics.medianAbsoluteDeviation(values) / median, values.length);
        }

        private Map<String, Object> toMap(double perUnit) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("median", median / perUnit);
            map.put("spread", spread);
            map.put("samples", samples);
            return map;
        }
    }

    /**
     * Transfers between a device and one kind of host memory.
     *
     * @param toDevice bytes a second when nothing else is transferred
     * @param fromDevice bytes a second when nothing else is transferred
     * @param bothWays bytes a second of a job that is sent and fetched piece by piece, in both directions together; the first
     *     piece's way there and the last one's way back, which overlap with nothing, included
     */
    public record Transfers(Figure toDevice, Figure fromDevice, Figure bothWays) {
        private Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("toDeviceBytesPerSecond", toDevice.toMap(1));
            map.put("fromDeviceBytesPerSecond", fromDevice.toMap(1));
            map.put("bothWaysBytesPerSecond", bothWays.toMap(1));
            return map;
        }
    }

    /** The JSON object that docs/report.md describes. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("launchSeconds", launchNanos.toMap(1e9));
        map.put("copyBytesPerSecond", copyBytesPerSecond.toMap(1));
        map.put("readBytesPerSecond", readBytesPerSecond.toMap(1));
        map.put("pinned", pinned == null ? null : pinned.toMap());
        map.put("pageable", pageable == null ? null : pageable.toMap());
        return map;
    }
}
