package dev.evener.bench.suites;

import dev.evener.DataBuffer;
import dev.evener.DeviceKind;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.KernelSource;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One run of a program: its buffers, which are compared with those of other runs, and how its jobs are run: as they are declared, or,
 * for comparison, each in a plain launch without Evener. One thread.
 */
final class Run implements AutoCloseable {
    /** Which of a program's sizes is meant. */
    final int size;

    final Evener evener;
    final Policy policy;
    final @Nullable PlainLaunches plain; // of the runs that others are compared with
    final Map<String, Declared> declared = new LinkedHashMap<>(); // the last of each kernel
    final Set<String> split = new HashSet<>(); // kernels of which reports say so
    private final Path folder;
    private final Map<String, HostBuffer> buffers = new LinkedHashMap<>();
    private KernelSource source = KernelSource.of("none", "");

    Run(Evener evener, Path folder, int size, Policy policy, @Nullable PlainLaunches plain) {
        this.evener = evener;
        this.folder = folder;
        this.size = size;
        this.policy = policy;
        this.plain = plain;
    }

    /** The number for this run's size, of one for each of the three: a small one, an odd one, a larger one. */
    int pick(int small, int odd, int large) {
        return size == 0 ? small : size == 1 ? odd : large;
    }

    /** The text of the jobs that follow, from a file of the suites; what it includes is looked for beside it and in these folders. */
    KernelSource file(String path, String... folders) {
        List<Path> all = new ArrayList<>();
        for (String each : folders) {
            all.add(folder.resolve(each));
        }
        source = KernelSource.file(folder.resolve(path), all.toArray(new Path[0]));
        return source;
    }

    /** The same, of a text that PoCL 3.1 compiles wrongly if it may optimise. */
    void plain(String path) {
        KernelSource text = file(path);
        boolean pocl = Suites.devices().stream().anyMatch(each -> each.kind() == DeviceKind.CPU);
        source = pocl ? text.withOptions("-cl-opt-disable") : text; // with which NVIDIA's compiler fails
    }

    /** The same with macros or options. */
    void source(KernelSource text) {
        source = text;
    }

    Declared kernel(String name) {
        Declared made = new Declared(this, source, name);
        declared.put(name, made);
        return made;
    }

    HostBuffer buffer(String name, ElementType type, long count) {
        HostBuffer made = evener.allocate(type, count);
        buffers.put(name, made);
        return made;
    }

    HostBuffer ints(String name, int count, IntUnaryOperator value) {
        HostBuffer made = buffer(name, ElementType.INT, count);
        for (int i = 0; i < count; i++) {
            bytes(made).putInt(4 * i, value.applyAsInt(i));
        }
        return made;
    }

    HostBuffer floats(String name, int count, IntToDoubleFunction value) {
        HostBuffer made = buffer(name, ElementType.FLOAT, count);
        for (int i = 0; i < count; i++) {
            bytes(made).putFloat(4 * i, (float) value.applyAsDouble(i));
        }
        return made;
    }

    HostBuffer doubles(String name, int count, IntToDoubleFunction value) {
        HostBuffer made = buffer(name, ElementType.DOUBLE, count);
        for (int i = 0; i < count; i++) {
            bytes(made).putDouble(8 * i, value.applyAsDouble(i));
        }
        return made;
    }

    /** An image of numbers from 0 up to 1 that look like chance: four floats a pixel, or one. */
    Image<HostBuffer> picture(String name, ImageFormat format, int width, int height) {
        int seed = name.hashCode() & 0xFFFF;
        int channels = format.channels().count();
        return Image.of(
                format.type() == ImageFormat.Type.FLOAT
                        ? floats(name, width * height * channels, i -> Inputs.noise(i + seed))
                        : octets(name, width * height * channels, i -> Inputs.bits(i + seed, 256)),
                format,
                width,
                height);
    }

    HostBuffer octets(String name, int count, IntUnaryOperator value) {
        HostBuffer made = buffer(name, ElementType.UBYTE, count);
        for (int i = 0; i < count; i++) {
            bytes(made).put(i, (byte) value.applyAsInt(i));
        }
        return made;
    }

    static ByteBuffer bytes(DataBuffer buffer) {
        return ((HostBuffer) buffer).bytes().order(ByteOrder.nativeOrder());
    }

    /** What all buffers hold. */
    Map<String, byte[]> contents() {
        Map<String, byte[]> all = new LinkedHashMap<>();
        buffers.forEach((name, buffer) -> {
            byte[] content = new byte[(int) buffer.byteSize()];
            bytes(buffer).get(content);
            all.put(name, content);
        });
        return all;
    }

    @Override
    public void close() {
        buffers.values().forEach(HostBuffer::close);
    }
}
