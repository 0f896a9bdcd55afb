package dev.evener.workloads.cli;

import dev.evener.workloads.workload.CannyFrames;
import dev.evener.workloads.workload.FrameWork;
import dev.evener.workloads.workload.ToneMapFrames;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the experiments on streams of frames, and which experiments these are. */
final class StreamOptions {
    private static final String SUFFIX = "-pipeline";
    private static final Map<String, FrameWork> ALL = all();
    private static final Pattern SIZE = Pattern.compile("(\\d{1,5})x(\\d{1,5})");
    private static final int MOST_FRAMES = 1_000_000;
    private static final int MOST_SLOTS = 1000;

    @Option(names = "--frames", paramLabel = "N", description = "Pipelines: frames in the stream; 48 by default.")
    private @Nullable Integer frames;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = "Pipelines: frames under way at once; by default 4, or as many as there are files.")
    private @Nullable Integer slots;

    @Option(
            names = "--input",
            paramLabel = "FILE",
            description = "Pipelines: an HDR frame to use instead of made-up ones; may be given more than once.")
    private List<Path> inputs = new ArrayList<>();

    private static Map<String, FrameWork> all() {
        Map<String, FrameWork> all = new LinkedHashMap<>();
        for (FrameWork work : List.of(new CannyFrames(), new ToneMapFrames())) {
            all.put(work.name() + SUFFIX, work);
        }
        return all;
    }

    /** Names of the experiments. */
    static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    /** What all of them compare, in a line. */
    static String description() {
        return "a stream of frames: one job a frame, or two stages on devices of their own (docs/pipeline.md)";
    }

    /** The experiment of that name in any case, or null. */
    static @Nullable FrameWork named(@Nullable String name) {
        return name == null ? null : ALL.get(name.toLowerCase(Locale.ROOT));
    }

    /** Refuses them for an experiment that has no use for them. */
    void refuse(String experiment) {
        if (frames != null || slots != null || !inputs.isEmpty()) {
            throw UserError.usage("--frames, --slots and --input go with " + String.join(" and ", names())
                    + ", not with " + experiment);
        }
    }

    int frames() {
        return UserError.checkCount("--frames", frames == null ? 48 : frames, MOST_FRAMES);
    }

    /** @param size such as {@code 1920x1080}, or null for that */
    FrameWork.Request request(FrameWork work, @Nullable String size, long seed) {
        if (!inputs.isEmpty() && !work.takesFiles()) {
            throw UserError.usage("--input: " + work.name() + SUFFIX + " makes its frames up");
        }
        if (!inputs.isEmpty() && size != null) {
            throw UserError.usage("--size: the files say how large their frames are");
        }
        int count = UserError.checkCount("--slots", slots == null ? Math.max(4, inputs.size()) : slots, MOST_SLOTS);
        if (count < inputs.size()) {
            throw UserError.usage("--slots: " + count + " are fewer than the " + inputs.size() + " files");
        }
        Matcher matcher = SIZE.matcher(size == null ? "1920x1080" : size.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()
                || matcher.group(1).matches("0+")
                || matcher.group(2).matches("0+")) {
            throw UserError.usage("--size: '" + size + "' is not the size of a frame, such as 1920x1080");
        }
        return new FrameWork.Request(
                Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)), inputs, count, seed);
    }
}
