package dev.evener.kernels.tuning;

import static dev.evener.kernels.tuning.Parameter.Devices.CPU;
import static dev.evener.kernels.tuning.Parameter.Devices.OTHER;

import dev.evener.DeviceKind;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Everything that can be tuned. A parameter has a few values that are all right on every device: results have the same bits
 * whichever is chosen. What a result does depend on, such as the length of a tile whose floats are added up, is none.
 */
public enum Parameter {
    MAP_CPU_BYTES(
            "map.cpu-bytes-per-item",
            CPU,
            "bytes of each buffer that a work-item takes",
            65_536,
            16_384,
            32_768,
            131_072,
            262_144),
    MAP_GROUP("map.group-size", OTHER, "work-items of a group", 256, 64, 128, 512),
    SCAN_CPU_GROUPS("scan.cpu-groups", CPU, "groups that take portions, on one device", 512, 32, 128, 2048),
    SCAN_GROUPS("scan.groups", OTHER, "groups that take tiles, on one device", 4096, 512, 1024, 2048, 16_384, 65_536),
    SCAN_TILES("scan.tiles-at-once", OTHER, "tiles that a group takes at once, on one NVIDIA GPU", 1, 2, 4),
    HISTOGRAM_CPU_ITEMS(
            "histogram.cpu-items",
            CPU,
            "work-items of a large job at least, each with tables to merge",
            64,
            16,
            32,
            128),
    HISTOGRAM_CPU_TABLES("histogram.cpu-tables", CPU, "private tables of up to 1024 bins", 8, 2, 4),
    HISTOGRAM_GROUP("histogram.group-size", OTHER, "work-items of a group", 256, 128, 512, 1024),
    HISTOGRAM_RANGE("histogram.range", OTHER, "most bins that a group counts", 8192, 12_288),
    HISTOGRAM_LOADS("histogram.loads-ahead", OTHER, "16-byte loads that a work-item has under way", 1, 2, 4),
    HISTOGRAM_GROUPS("histogram.groups-per-unit", OTHER, "groups for each compute unit at most", 8, 2, 4, 16, 32),
    HISTOGRAM_LOCAL_BINS(
            "histogram.local-bins",
            OTHER,
            "bins of all copies of a table in local memory",
            2048,
            512,
            1024,
            4096,
            8192),
    COMPACT_CPU_SLICES("compact.cpu-slices", CPU, "slices on one device", 64, 16, 32, 128, 256),
    COMPACT_SLICES("compact.slices", OTHER, "slices on one device", 512, 256, 1024, 2048),
    SORT_CPU_SLICES("sort.cpu-slices", CPU, "slices of a pass", 64, 16, 32, 128),
    SORT_SLICES("sort.slices", OTHER, "slices of a pass", 512, 256, 1024, 2048, 4096),
    SORT_GROUP("sort.group-size", OTHER, "work-items of a group", 256, 512),
    SORT_KEYS("sort.keys-per-item", OTHER, "keys of 32 bits in a work-item's registers, on NVIDIA GPUs", 16, 8, 12, 20),
    MATRIX_CPU_ROWS("matrix.cpu-rows-per-item", CPU, "rows that share a block in the cache", 64, 16, 32, 128),
    TONEMAP_ITEM("tonemap.pixels-per-item", OTHER, "pixels that a work-item takes", 4, 8, 16),
    TONEMAP_CPU_BYTES(
            "tonemap.cpu-bytes-per-item",
            CPU,
            "bytes of the frame that a work-item takes",
            65_536,
            16_384,
            32_768,
            131_072,
            262_144);

    /** The classes of devices that kernels are written for. */
    public enum Devices {
        /** CPUs. */
        CPU,
        /** GPUs and accelerators. */
        OTHER;

        /** Whether devices of a kind run the variant of this class; the JVM lane runs none. */
        public boolean has(DeviceKind kind) {
            return this == CPU ? kind == DeviceKind.CPU : kind == DeviceKind.GPU || kind == DeviceKind.ACCELERATOR;
        }
    }

    private final String text;
    private final Devices devices;
    private final String meaning;
    private final int defaultValue;

    @SuppressWarnings("ImmutableEnumChecker") // neither written to nor handed out
    private final int[] others;

    Parameter(String text, Devices devices, String meaning, int defaultValue, int... others) {
        this.text = text;
        this.devices = devices;
        this.meaning = meaning;
        this.defaultValue = defaultValue;
        this.others = others;
    }

    /** Its name in files and tables: {@code primitive.what-it-is}. */
    public String text() {
        return text;
    }

    /** The primitive it belongs to, such as {@code scan}. */
    public String primitive() {
        return text.substring(0, text.indexOf('.'));
    }

    /** The devices that it is for. */
    public Devices devices() {
        return devices;
    }

    /** What it counts, in a few words. */
    public String meaning() {
        return meaning;
    }

    /** What it is where nothing was measured: good on the devices that were at hand. */
    public int defaultValue() {
        return defaultValue;
    }

    /** All values, the default first. */
    public List<Integer> choices() {
        return IntStream.concat(IntStream.of(defaultValue), Arrays.stream(others))
                .boxed()
                .toList();
    }
}
