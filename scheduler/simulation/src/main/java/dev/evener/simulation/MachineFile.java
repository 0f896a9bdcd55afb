package dev.evener.simulation;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.EvenerException;
import dev.evener.internal.AtomicFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A machine as a JSON file that people can edit. Everything in it is checked, and nothing that is not known is passed over. */
final class MachineFile {
    private static final String FORMAT = "evener-machine";
    private static final int VERSION = 1;
    private static final int LARGEST = 16 << 20;

    private MachineFile() {}

    static void write(Machine machine, Path file) throws IOException {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("format", FORMAT);
        root.put("version", VERSION);
        List<Object> devices = new ArrayList<>();
        machine.devices().forEach(device -> devices.add(written(device)));
        root.put("devices", devices);
        Map<String, Object> kernels = new LinkedHashMap<>();
        machine.kernels().forEach((name, work) -> {
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("hostNanos", work.hostNanos());
            saved.put("profile", work.profile());
            kernels.put(name, saved);
        });
        root.put("kernels", kernels);
        Map<String, Object> plans = new LinkedHashMap<>();
        machine.planNanos().forEach((policy, times) -> plans.put(policy, written(times)));
        root.put("planNanos", plans);
        String text = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(root) + "\n";
        AtomicFiles.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, Object> written(DeviceModel model) {
        DeviceInfo info = model.device();
        Map<String, Object> device = new LinkedHashMap<>();
        device.put("id", info.id());
        device.put("platform", info.platform());
        device.put("name", info.name());
        device.put("kind", info.kind().name().toLowerCase(Locale.ROOT));
        device.put("driver", info.driver());
        device.put("computeUnits", info.computeUnits());
        device.put("clockMhz", info.clockMhz());
        device.put("memory", model.memory());
        device.put("wakeNanos", written(model.wakeNanos()));
        device.put("ahead", model.ahead());
        Map<String, Object> link = new LinkedHashMap<>();
        link.put("latencyNanos", model.link().latencyNanos());
        link.put("bytesPerSecondIn", model.link().bytesPerSecondIn());
        link.put("bytesPerSecondOut", model.link().bytesPerSecondOut());
        link.put("overlap", model.link().overlap());
        link.put("factor", written(model.link().factor()));
        device.put("link", link);
        device.put("kernels", written(model.kernels()));
        device.put("alone", written(model.alone()));
        return device;
    }

    /** A number, or the quantiles of one that scatters. */
    private static Object written(Times times) {
        return times.quantiles().size() == 1 ? times.quantiles().get(0) : times.quantiles();
    }

    private static Map<String, Object> written(Map<String, KernelModel> models) {
        Map<String, Object> all = new LinkedHashMap<>();
        models.forEach((name, model) -> {
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("fixedNanos", model.fixedNanos());
            saved.put("nanosPerUnit", model.nanosPerUnit());
            saved.put("factor", written(model.factor()));
            saved.put("wave", model.wave());
            saved.put("slowdown", model.slowdown());
            KernelModel.Launch launch = model.launch();
            saved.put("saveNanosPerUnit", launch.saveNanosPerUnit());
            saved.put("submitNanos", written(launch.submitNanos()));
            saved.put("submitNanosPerUnit", launch.submitNanosPerUnit());
            saved.put("startNanos", written(launch.startNanos()));
            saved.put("gapNanos", written(launch.gapNanos()));
            saved.put("noticeNanos", written(launch.noticeNanos()));
            saved.put("settleNanos", written(launch.settleNanos()));
            KernelModel.Moves moves = model.moves();
            saved.put("bytesInPerChunk", moves.inPerChunk());
            saved.put("bytesInPerUnit", moves.inPerUnit());
            saved.put("bytesOutPerChunk", moves.outPerChunk());
            saved.put("bytesOutPerUnit", moves.outPerUnit());
            all.put(name, saved);
        });
        return all;
    }

    static Machine read(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) { // a pipe may keep it waiting, a device never end
            throw new EvenerException("machine file " + file + " is a folder, a pipe or a device");
        }
        byte[] text;
        try (InputStream in = Files.newInputStream(file)) {
            text = in.readNBytes(LARGEST + 1);
        }
        if (text.length > LARGEST) {
            throw new EvenerException("machine file " + file + " is larger than " + (LARGEST >> 20) + " MiB");
        }
        try {
            return machine(new Node("", JSON.std.mapFrom(text)));
        } catch (IOException | IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new EvenerException("machine file " + file + ": " + message, e);
        }
    }

    private static Machine machine(Node root) {
        if (!FORMAT.equals(root.values.get("format"))) {
            throw new IllegalArgumentException("it is no such file: \"format\" must be \"" + FORMAT + "\"");
        }
        if (!(root.values.get("version") instanceof Number found) || found.doubleValue() != VERSION) {
            throw new IllegalArgumentException(
                    "it has version " + root.values.get("version") + ", this Evener reads version " + VERSION);
        }
        root.values.remove("format");
        root.values.remove("version");
        if (!(root.values.remove("devices") instanceof List<?> list)) {
            throw new IllegalArgumentException("\"devices\" must be a list");
        }
        List<DeviceModel> devices = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            devices.add(device(Node.of("devices[" + i + "]", list.get(i))));
        }
        Map<String, KernelWork> kernels = new TreeMap<>();
        Node works = root.node("kernels");
        for (String name : works.names()) {
            Node work = works.node(name);
            kernels.put(name, work.made(() -> new KernelWork(work.numbers("profile"), work.number("hostNanos", 0))));
        }
        Node plans = root.node("planNanos");
        Map<String, Times> planNanos = new TreeMap<>();
        for (String policy : plans.names()) {
            planNanos.put(policy, plans.times(policy, 0));
        }
        return root.made(() -> new Machine(devices, kernels, planNanos));
    }

    private static DeviceModel device(Node node) {
        String id = node.text("id", null);
        String kind = node.text("kind", null);
        DeviceKind parsed;
        try {
            parsed = DeviceKind.valueOf(kind.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(node.path + ".kind is '" + kind + "': expected cpu, gpu or jvm", e);
        }
        String memory = node.text("memory", DeviceModel.HOST);
        DeviceInfo info = new DeviceInfo(
                id,
                node.text("platform", "simulated"),
                node.text("name", id),
                parsed,
                node.text("driver", ""),
                (int) node.number("computeUnits", 1),
                0,
                0,
                1,
                0,
                1,
                (int) node.number("clockMhz", 0),
                memory.equals(DeviceModel.HOST),
                id);
        Node link = node.node("link");
        Link made = link.values.isEmpty()
                ? Link.NONE
                : link.made(() -> new Link(
                        link.number("latencyNanos", 0),
                        link.number("bytesPerSecondIn", Link.NONE.bytesPerSecondIn()),
                        link.number("bytesPerSecondOut", Link.NONE.bytesPerSecondOut()),
                        link.number("overlap", 0),
                        link.times("factor", 1)));
        Map<String, KernelModel> kernels = models(node.node("kernels"));
        Map<String, KernelModel> alone = models(node.node("alone"));
        return node.made(() -> new DeviceModel(
                info, memory, node.times("wakeNanos", 0), (int) node.number("ahead", 0), made, kernels, alone));
    }

    private static Map<String, KernelModel> models(Node all) {
        Map<String, KernelModel> models = new TreeMap<>();
        for (String name : all.names()) {
            Node node = all.node(name);
            models.put(
                    name,
                    node.made(() -> new KernelModel(
                            node.number("fixedNanos", 0),
                            node.number("nanosPerUnit", 0),
                            node.times("factor", 1),
                            (long) node.number("wave", 0),
                            node.number("slowdown", 1),
                            new KernelModel.Launch(
                                    node.number("saveNanosPerUnit", 0),
                                    node.times("submitNanos", 0),
                                    node.number("submitNanosPerUnit", 0),
                                    node.times("startNanos", 0),
                                    node.times("gapNanos", 0),
                                    node.times("noticeNanos", 0),
                                    node.times("settleNanos", 0)),
                            new KernelModel.Moves(
                                    node.number("bytesInPerChunk", 0),
                                    node.number("bytesInPerUnit", 0),
                                    node.number("bytesOutPerChunk", 0),
                                    node.number("bytesOutPerUnit", 0)))));
        }
        return models;
    }

    /** An object of the file, whose entries are taken out as they are read, so that what is left over is noticed. */
    private static final class Node {
        private final String path;
        private final Map<String, Object> values;

        Node(String path, Map<String, Object> values) {
            this.path = path;
            this.values = new TreeMap<>(values);
        }

        static Node of(String path, @Nullable Object value) {
            if (!(value instanceof Map<?, ?> map)) {
                throw new IllegalArgumentException(path + " must be an object { ... }");
            }
            Map<String, Object> values = new TreeMap<>();
            map.forEach((key, each) -> {
                if (each == null) {
                    throw new IllegalArgumentException(path + "." + key + " is null: leave it out instead");
                }
                values.put(String.valueOf(key), each);
            });
            return new Node(path, values);
        }

        private String path(String name) {
            return path.isEmpty() ? name : path + "." + name;
        }

        Set<String> names() {
            return new TreeSet<>(values.keySet());
        }

        /** An object that may be missing. */
        Node node(String name) {
            Object value = values.remove(name);
            return value == null ? new Node(path(name), Map.of()) : of(path(name), value);
        }

        double number(String name, double otherwise) {
            Object value = values.remove(name);
            if (value != null && !(value instanceof Number)) {
                throw new IllegalArgumentException(path(name) + " must be a number, not '" + value + "'");
            }
            return value == null ? otherwise : ((Number) value).doubleValue();
        }

        Times times(String name, double otherwise) {
            if (!(values.get(name) instanceof List<?>)) {
                double value = number(name, otherwise);
                Figures.require(name, value, 0);
                return Times.of(value);
            }
            try {
                return new Times(numbers(name));
            } catch (IllegalArgumentException e) {
                String message = String.valueOf(e.getMessage());
                throw message.startsWith(path) ? e : new IllegalArgumentException(path(name) + ": " + message, e);
            }
        }

        String text(String name, @Nullable String otherwise) {
            Object value = values.remove(name);
            if (value == null && otherwise != null) {
                return otherwise;
            }
            if (!(value instanceof String text) || text.isEmpty()) {
                throw new IllegalArgumentException(path(name) + " must be a text");
            }
            return text;
        }

        List<Double> numbers(String name) {
            Object value = values.remove(name);
            List<Double> numbers = new ArrayList<>();
            if (value != null && !(value instanceof List<?>)) {
                throw new IllegalArgumentException(path(name) + " must be a list of numbers");
            }
            if (value instanceof List<?> list) {
                for (Object each : list) {
                    if (!(each instanceof Number number)) {
                        throw new IllegalArgumentException(
                                path(name) + " must be a list of numbers, not of '" + each + "'");
                    }
                    numbers.add(number.doubleValue());
                }
            }
            return numbers;
        }

        interface Maker<T> {
            T make();
        }

        /** Makes something of what was here, says where it was if that fails, and refuses what nobody read. */
        <T> T made(Maker<T> maker) {
            T made;
            try {
                made = maker.make();
            } catch (IllegalArgumentException e) {
                String message = String.valueOf(e.getMessage());
                throw message.startsWith(path) && !path.isEmpty()
                        ? e
                        : new IllegalArgumentException(path.isEmpty() ? message : path + ": " + message, e);
            }
            if (!values.isEmpty()) {
                throw new IllegalArgumentException(
                        path(values.keySet().iterator().next()) + " means nothing here: is it misspelt?");
            }
            return made;
        }
    }
}
