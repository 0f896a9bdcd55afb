package dev.evener.simulation;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.EvenerException;
import dev.evener.internal.files.AtomicFiles;
import dev.evener.internal.files.JsonText;
import dev.evener.internal.files.PlainFiles;
import dev.evener.policy.Power;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A machine as a JSON file that people can edit. What its fields are is said once: a {@link Node} that is written takes what
 * each field is, one that is read returns it, or what is given where the file leaves it out. Everything in a file is checked,
 * and nothing that is not known is passed over.
 */
final class MachineFile {
    private static final String FORMAT = "evener-machine";
    private static final int VERSION = 1;
    private static final int LARGEST = 16 << 20;

    // What files may leave out.
    private static final KernelModel KERNEL = KernelModel.of(0, 1);
    private static final Link.Hop HOP =
            new Link.Hop("bus", Link.NONE.bytesPerSecondIn(), Link.NONE.bytesPerSecondOut());
    private static final DeviceModel DEVICE = DeviceModel.of(
            new DeviceInfo("", "simulated", "", DeviceKind.CPU, "", 1, 0, 0, 1, 0, 1, 0, true, ""), Map.of());

    private MachineFile() {}

    static void write(Machine machine, Path file) throws IOException {
        Node root = new Node("", null);
        root.values.put("format", FORMAT);
        root.values.put("version", VERSION);
        Machine unused = machine(root, machine);
        String text = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(root.values) + "\n";
        AtomicFiles.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    static Machine read(Path file) throws IOException {
        if (PlainFiles.other(file) != null) {
            throw new EvenerException("machine file " + file + " is a folder, a pipe or a device");
        }
        byte[] text;
        try (InputStream in = PlainFiles.open(file)) {
            text = in.readNBytes(LARGEST + 1);
        }
        if (text.length > LARGEST) {
            throw new EvenerException("machine file " + file + " is larger than " + (LARGEST >> 20) + " MiB");
        }
        try {
            Node root = new Node("", JsonText.object(text));
            if (!FORMAT.equals(root.values.get("format"))) {
                throw new IllegalArgumentException("it is no such file: \"format\" must be \"" + FORMAT + "\"");
            }
            if (!(root.values.get("version") instanceof Number found) || found.doubleValue() != VERSION) {
                throw new IllegalArgumentException(
                        "it has version " + root.values.get("version") + ", this Evener reads version " + VERSION);
            }
            root.values.remove("format");
            root.values.remove("version");
            return machine(root, null);
        } catch (IOException | IllegalArgumentException e) {
            throw new EvenerException("machine file " + file + ": " + e.getMessage(), e);
        }
    }

    private static Machine machine(Node root, @Nullable Machine present) {
        List<DeviceModel> devices = new ArrayList<>();
        for (Node node :
                root.list("devices", present == null ? 0 : present.devices().size())) {
            DeviceModel like = present == null ? DEVICE : present.devices().get(devices.size());
            devices.add(node.made(() -> device(node, like)));
        }
        Map<String, KernelWork> kernels = root.node("kernels")
                .each(present == null ? Map.of() : present.kernels(), KernelWork.EVEN, (node, like) -> {
                    double host = node.number("hostNanos", like.hostNanos());
                    double hostPerUnit = node.number("hostNanosPerUnit", like.hostNanosPerUnit());
                    return new KernelWork(node.numbers("profile", like.profile()), host, hostPerUnit);
                });
        Node plans = root.node("planNanos");
        Map<String, Times> likes = present == null ? Map.of() : present.planNanos();
        Map<String, Times> planNanos = new TreeMap<>();
        for (String policy : plans.names(likes)) {
            planNanos.put(policy, plans.times(policy, likes.getOrDefault(policy, Times.NONE)));
        }
        return root.made(() -> new Machine(devices, kernels, planNanos));
    }

    private static DeviceModel device(Node node, DeviceModel like) {
        String id = node.text("id", like.device().id(), true);
        String platform = node.text("platform", like.device().platform(), false);
        String name = node.text("name", node.written ? like.device().name() : id, false);
        String kind = node.text("kind", like.device().kind().name().toLowerCase(Locale.ROOT), true);
        DeviceKind parsed;
        try {
            parsed = DeviceKind.valueOf(kind.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(node.path + ".kind is '" + kind + "': expected cpu, gpu or jvm", e);
        }
        String driver = node.text("driver", like.device().driver(), false);
        int computeUnits = (int) node.whole("computeUnits", like.device().computeUnits());
        int clockMhz = (int) node.whole("clockMhz", like.device().clockMhz());
        String memory = node.text("memory", like.memory(), false);
        long bytes = node.whole("memoryBytes", like.device().memoryBytes());
        double idle = node.number("idleWatts", like.power().idleWatts());
        double busy = node.number("busyWatts", Math.max(idle, like.power().busyWatts()));
        boolean host = memory.startsWith(DeviceModel.HOST);
        return new DeviceModel(
                new DeviceInfo(id, platform, name, parsed, driver, computeUnits, bytes, 0, 1, 0, 1, clockMhz, host, id),
                memory,
                node.times("wakeNanos", like.wakeNanos()),
                (int) node.whole("ahead", like.ahead()),
                link(node.node("link"), like.link()),
                node.node("kernels").each(like.kernels(), KERNEL, MachineFile::kernel),
                node.node("alone").each(like.alone(), KERNEL, MachineFile::kernel),
                new Power(idle, busy));
    }

    private static Link link(Node node, Link like) {
        return node.made(() -> new Link(
                node.number("latencyNanos", like.latencyNanos()),
                node.number("bytesPerSecondIn", like.bytesPerSecondIn()),
                node.number("bytesPerSecondOut", like.bytesPerSecondOut()),
                node.number("overlap", like.overlap()),
                node.times("factor", like.factor()),
                node.text("bus", like.bus(), false),
                hops(node, like)));
    }

    private static List<Link.Hop> hops(Node node, Link like) {
        List<Link.Hop> hops = new ArrayList<>();
        if (node.written ? like.hops().isEmpty() : !node.values.containsKey("hops")) {
            return hops;
        }
        for (Node each : node.list("hops", like.hops().size())) {
            Link.Hop of = node.written ? like.hops().get(hops.size()) : HOP;
            hops.add(each.made(() -> new Link.Hop(
                    each.text("bus", of.bus(), true),
                    each.number("bytesPerSecondIn", of.bytesPerSecondIn()),
                    each.number("bytesPerSecondOut", of.bytesPerSecondOut()))));
        }
        return hops;
    }

    private static KernelModel kernel(Node node, KernelModel like) {
        KernelModel.Launch launch = like.launch();
        KernelModel.Moves moves = like.moves();
        return new KernelModel(
                node.number("fixedNanos", like.fixedNanos()),
                node.number("nanosPerUnit", node.written ? like.nanosPerUnit() : 0),
                node.times("factor", like.factor()),
                node.whole("wave", like.wave()),
                node.number("slowdown", like.slowdown()),
                new KernelModel.Launch(
                        node.number("saveNanosPerUnit", launch.saveNanosPerUnit()),
                        node.times("submitNanos", launch.submitNanos()),
                        node.number("submitNanosPerUnit", launch.submitNanosPerUnit()),
                        node.times("startNanos", launch.startNanos()),
                        node.times("gapNanos", launch.gapNanos()),
                        node.times("noticeNanos", launch.noticeNanos()),
                        node.times("settleNanos", launch.settleNanos())),
                new KernelModel.Moves(
                        node.number("bytesInPerChunk", moves.inPerChunk()),
                        node.number("bytesInPerUnit", moves.inPerUnit()),
                        node.number("bytesOutPerChunk", moves.outPerChunk()),
                        node.number("bytesOutPerUnit", moves.outPerUnit())));
    }

    /**
     * An object of the file. One that is read loses its entries as they are asked for, so that what is left over is noticed; one
     * that is written gains them.
     */
    private static final class Node {
        private final String path;
        private final boolean written;
        private final Map<String, Object> values;

        /** @param read what it holds; null for one that is written */
        Node(String path, @Nullable Map<?, ?> read) {
            this.path = path;
            written = read == null;
            values = written ? new LinkedHashMap<>() : new TreeMap<>();
            if (read != null) {
                read.forEach((key, each) -> {
                    if (each == null) {
                        throw new IllegalArgumentException(
                                path(String.valueOf(key)) + " is null: leave it out instead");
                    }
                    values.put(String.valueOf(key), each);
                });
            }
        }

        private String path(String name) {
            return path.isEmpty() ? name : path + "." + name;
        }

        private static Node of(String path, @Nullable Object value) {
            if (value instanceof Map<?, ?> map) {
                return new Node(path, map);
            }
            throw new IllegalArgumentException(path + " must be an object { ... }");
        }

        List<String> names(Map<String, ?> present) {
            return List.copyOf(written ? present.keySet() : values.keySet());
        }

        /** An object that may be missing. */
        Node node(String name) {
            if (written) {
                Node made = new Node(path(name), null);
                values.put(name, made.values);
                return made;
            }
            Object value = values.remove(name);
            return value == null ? new Node(path(name), Map.of()) : of(path(name), value);
        }

        List<Node> list(String name, int size) {
            List<Node> nodes = new ArrayList<>();
            if (written) {
                for (int i = 0; i < size; i++) {
                    nodes.add(new Node(name, null));
                }
                values.put(name, nodes.stream().map(node -> node.values).toList());
                return nodes;
            }
            if (!(values.remove(name) instanceof List<?> list)) {
                throw new IllegalArgumentException("\"" + name + "\" must be a list");
            }
            for (Object each : list) {
                nodes.add(of(path(name) + "[" + nodes.size() + "]", each));
            }
            return nodes;
        }

        /** Objects by name. */
        <T> Map<String, T> each(Map<String, T> present, T otherwise, BiFunction<Node, T, T> of) {
            Map<String, T> all = new TreeMap<>();
            for (String name : names(present)) {
                Node node = node(name);
                all.put(name, node.made(() -> of.apply(node, present.getOrDefault(name, otherwise))));
            }
            return all;
        }

        private @Nullable Object value(String name, Object present) {
            if (written) {
                values.put(name, present);
                return present;
            }
            return values.remove(name);
        }

        double number(String name, double present) {
            Object value = value(name, present);
            if (value != null && !(value instanceof Number)) {
                throw new IllegalArgumentException(path(name) + " must be a number, not '" + value + "'");
            }
            return value == null ? present : ((Number) value).doubleValue();
        }

        long whole(String name, long present) {
            if (written) {
                values.put(name, present);
                return present;
            }
            return (long) number(name, (double) present);
        }

        /** A number, or the quantiles of one that scatters. */
        Times times(String name, Times present) {
            if (written) {
                List<Double> quantiles = present.quantiles();
                values.put(name, quantiles.size() == 1 ? quantiles.get(0) : quantiles);
                return present;
            }
            if (!(values.get(name) instanceof List<?>)) {
                double value = number(name, present.median());
                Numbers.require(name, value, 0);
                return Times.of(value);
            }
            try {
                return new Times(numbers(name, List.of()));
            } catch (IllegalArgumentException e) {
                throw within(path(name), e);
            }
        }

        String text(String name, String present, boolean required) {
            Object value = value(name, present);
            if (value == null && !required) {
                return present;
            }
            if (!(value instanceof String text) || (text.isEmpty() && required && !written)) {
                throw new IllegalArgumentException(path(name) + " must be a text");
            }
            return text;
        }

        List<Double> numbers(String name, List<Double> present) {
            Object value = value(name, present);
            if (value != null && !(value instanceof List<?>)) {
                throw new IllegalArgumentException(path(name) + " must be a list of numbers");
            }
            List<Double> numbers = new ArrayList<>();
            for (Object each : value instanceof List<?> list ? list : List.of()) {
                if (!(each instanceof Number number)) {
                    throw new IllegalArgumentException(
                            path(name) + " must be a list of numbers, not of '" + each + "'");
                }
                numbers.add(number.doubleValue());
            }
            return numbers;
        }

        /** Makes something of what was here, says where it was if that fails, and refuses what nobody read. */
        <T> T made(Supplier<T> maker) {
            T made;
            try {
                made = maker.get();
            } catch (IllegalArgumentException e) {
                throw path.isEmpty() ? e : within(path, e);
            }
            if (!written && !values.isEmpty()) {
                throw new IllegalArgumentException(
                        path(values.keySet().iterator().next()) + " means nothing here: is it misspelt?");
            }
            return made;
        }

        private IllegalArgumentException within(String place, IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            return message.startsWith(path) ? e : new IllegalArgumentException(place + ": " + message, e);
        }
    }
}
