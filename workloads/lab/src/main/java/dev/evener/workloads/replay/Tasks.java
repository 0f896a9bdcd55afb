package dev.evener.workloads.replay;

import dev.evener.frames.FrameChoice;
import dev.evener.frames.PictureFormat;
import dev.evener.kernels.tonemap.Colours;
import dev.evener.kernels.tonemap.FilmCurve;
import dev.evener.kernels.tonemap.Metering;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.Primaries;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.record.Recording;
import dev.evener.workloads.bench.Tuner;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.InputFile;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How records describe what is run: requests of workloads with their tuning, and the tone mapping of frames. Stateless. */
public final class Tasks {
    private static final String AUTO = "auto";
    private static final String FRAMES = "tonemap";
    private static final String LAYER = "layer";
    private static final String PRIMARIES = "primaries";
    private static final String TUNING = "tuning.";

    /** Commands whose tasks say all that is tuned, so that what is kept for the devices does not count. */
    private static final Set<String> TUNED = Set.of("bench", "tune");

    private Tasks() {}

    /**
     * A request of a command as a task.
     *
     * @param devices the selector of devices that was asked for
     */
    public static Recording.Task of(String command, Request request, String devices) {
        Map<String, String> parameters = new LinkedHashMap<>();
        request.values().toMap().forEach((name, value) -> parameters.put(name, String.valueOf(value)));
        if (TUNED.contains(command)) {
            request.tuning()
                    .changed()
                    .forEach((parameter, value) -> parameters.put(TUNING + parameter.text(), value.toString()));
        }
        Distribution distribution = request.distribution();
        return new Recording.Task(
                command,
                request.workload().name(),
                devices,
                request.items(),
                distribution == null ? null : distribution.text(),
                request.seed(),
                parameters,
                request.files().stream().map(f -> Digests.file(f.path())).toList());
    }

    /** What tasks alike have in common: whichever command asked for them, on whichever devices, however they were tuned. */
    static Recording.Task kind(Recording.Task task) {
        return new Recording.Task(
                "",
                task.workload(),
                "",
                task.items(),
                task.distribution(),
                task.seed(),
                parameters(task),
                task.files());
    }

    /**
     * The request of a task that is no frame.
     *
     * @param kept how devices are tuned, where the task does not say it
     * @throws IllegalArgumentException if it cannot be, as {@link #check} says
     */
    static Request request(Recording.Task task, Tuning kept) {
        Workload workload = Workloads.named(task.workload());
        Values values = Values.of(workload, parameters(task));
        Request request;
        if (task.files().isEmpty()) {
            String name = task.distribution();
            Distribution distribution = name == null ? Distribution.UNIFORM : Distribution.named(name);
            request = Request.synthetic(workload, values, task.items(), distribution, task.seed());
        } else {
            List<InputFile> files =
                    task.files().stream().map(file -> InputFile.of(file.path())).toList();
            request = Request.ofFiles(workload, values, files);
        }
        return request.tuned(tuning(task, kept));
    }

    /** The parameters of the workload itself. */
    private static Map<String, String> parameters(Recording.Task task) {
        Map<String, String> own = new LinkedHashMap<>(task.parameters());
        own.keySet().removeIf(name -> TUNED.contains(task.command()) && name.startsWith(TUNING));
        return own;
    }

    private static Tuning tuning(Recording.Task task, Tuning kept) {
        if (!TUNED.contains(task.command())) {
            return kept;
        }
        Tuning tuning = Tuning.defaults();
        for (Map.Entry<String, String> each : task.parameters().entrySet()) {
            if (each.getKey().startsWith(TUNING)) {
                tuning = Tuner.tuned(tuning, each.getKey().substring(TUNING.length()) + "=" + each.getValue());
            }
        }
        return tuning;
    }

    /**
     * Finds what cannot be run, before any device is opened.
     *
     * @throws IllegalArgumentException if there is no such workload or parameter, or a value cannot be
     */
    static void check(Recording.Task task) {
        if (isFrame(task)) {
            settings(task.parameters());
            format(task);
            choice(task);
            if (task.files().size() != 1) {
                throw new IllegalArgumentException(
                        "a frame comes from one file, not " + task.files().size());
            }
            return;
        }
        Workload workload = Workloads.named(task.workload());
        Map<String, String> parameters = parameters(task);
        for (String name : parameters.keySet()) {
            if (workload.parameters().stream().noneMatch(p -> p.name().equals(name))) {
                throw new IllegalArgumentException(workload.name() + " has no parameter '" + name + "'");
            }
        }
        if (task.files().isEmpty()) {
            request(task, Tuning.defaults());
        } else { // which may be gone, as is found later
            Values.of(workload, parameters);
            tuning(task, Tuning.defaults());
        }
    }

    /** Whether it is a frame of a file, not a synthetic one. */
    public static boolean isFrame(Recording.Task task) {
        return task.command().equals(FRAMES);
    }

    /** How frames are mapped and what pictures are coded as, as parameters. */
    public static Map<String, String> parameters(ToneMapSettings settings, PictureFormat format, FrameChoice choice) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("format", format.text());
        map.put("operator", settings.operator().commandLineName());
        map.put("exposure", text(settings.exposureStops()));
        map.put("key", text(settings.metering().key()));
        map.put("bias", String.valueOf(settings.metering().bias()));
        map.put("white", text(settings.white()));
        map.put("peak", text(settings.peak()));
        map.put("dragoBias", String.valueOf(settings.dragoBias()));
        FilmCurve film = settings.film();
        map.put("film.exposure", String.valueOf(film.exposure()));
        map.put("film.kLow", String.valueOf(film.kneeLow()));
        map.put("film.kHigh", String.valueOf(film.kneeHigh()));
        map.put("film.gamma", String.valueOf(film.gamma()));
        map.put("film.defog", String.valueOf(film.defog()));
        Colours.CurveOn on = settings.colours().curveOn();
        map.put("curveOn", on == null ? AUTO : on.name());
        map.put("outOfRange", settings.colours().outOfRange().name());
        map.put("saturation", String.valueOf(settings.colours().saturation()));
        map.put("wrap", String.valueOf(settings.wrap()));
        if (choice.layer() != null) {
            map.put(LAYER, choice.layer());
        }
        if (choice.primaries() != null) {
            map.put(PRIMARIES, choice.primaries().name());
        }
        return map;
    }

    /** What of its frame a task maps. */
    static FrameChoice choice(Recording.Task task) {
        String primaries = task.parameters().get(PRIMARIES);
        return new FrameChoice(task.parameters().get(LAYER), primaries == null ? null : Primaries.parse(primaries));
    }

    private static String text(@Nullable Double value) {
        return value == null ? AUTO : value.toString();
    }

    /**
     * Parameters as settings.
     *
     * @throws IllegalArgumentException if one is missing or cannot be
     */
    static ToneMapSettings settings(Map<String, String> parameters) {
        return new ToneMapSettings(
                Operator.parse(parameters.getOrDefault("operator", "")),
                optional(parameters, "exposure"),
                parameters.containsKey("key") // older records have none
                        ? new Metering(optional(parameters, "key"), number(parameters, "bias"))
                        : Metering.defaults(),
                optional(parameters, "white"),
                number(parameters, "dragoBias"),
                new FilmCurve(
                        number(parameters, "film.exposure"),
                        number(parameters, "film.kLow"),
                        number(parameters, "film.kHigh"),
                        number(parameters, "film.gamma"),
                        number(parameters, "film.defog")),
                parameters.containsKey("peak") ? optional(parameters, "peak") : null, // nor this
                parameters.containsKey("curveOn") ? colours(parameters) : Colours.DEFAULTS,
                Boolean.parseBoolean(parameters.get("wrap")),
                null);
    }

    private static Colours colours(Map<String, String> parameters) {
        String on = parameters.getOrDefault("curveOn", "");
        return new Colours(
                on.equals(AUTO) ? null : Colours.CurveOn.valueOf(on),
                Colours.OutOfRange.valueOf(parameters.getOrDefault("outOfRange", "")),
                number(parameters, "saturation"));
    }

    /**
     * What the pictures of a task are coded as; records that do not say it have PNG.
     *
     * @throws IllegalArgumentException if there is no such format
     */
    static PictureFormat format(Recording.Task task) {
        return PictureFormat.parse(task.parameters().getOrDefault("format", PictureFormat.PNG.text()));
    }

    private static @Nullable Double optional(Map<String, String> parameters, String name) {
        return AUTO.equals(parameters.get(name)) ? null : (Double) number(parameters, name);
    }

    private static double number(Map<String, String> parameters, String name) {
        try {
            return Double.parseDouble(parameters.getOrDefault(name, ""));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the setting " + name + " is no number", e);
        }
    }
}
