package dev.evener.workloads.cli;

import dev.evener.frames.CubeFile;
import dev.evener.frames.FrameChoice;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameStreamBuilder;
import dev.evener.frames.FrameStreamBuilder.Metadata;
import dev.evener.frames.FrameStreamBuilder.Missing;
import dev.evener.frames.PictureFormat;
import dev.evener.frames.PictureSize;
import dev.evener.kernels.tonemap.Colours;
import dev.evener.kernels.tonemap.FilmCurve;
import dev.evener.kernels.tonemap.Look;
import dev.evener.kernels.tonemap.Metering;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.Primaries;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.workload.Sizes;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say how frames are tone-mapped and written; docs/tone-mapping.md explains them. */
final class ToneMapOptions {
    @Option(names = "--operator", paramLabel = "NAME")
    private @Nullable String operator;

    private static final String SRGB = "srgb";
    private static final double FRAMES = 12; // half a second of film
    private static final int MOST_SHOTS = 1 << 20; // bytes of the file that has them
    private static final Pattern AUTOMATIC =
            Pattern.compile("(?:auto|(smooth)(?::([^+-]*))?)([+-].*)?", Pattern.CASE_INSENSITIVE);

    @Option(names = "--exposure", paramLabel = "STOPS")
    private String exposure = "auto";

    @Option(names = "--key", paramLabel = "LUMINANCE")
    private @Nullable String key;

    @Option(names = "--white", paramLabel = "LUMINANCE")
    private @Nullable Double white;

    @Option(names = "--drago-bias", paramLabel = "BIAS")
    private @Nullable Double dragoBias;

    @Option(names = "--film", split = ",", paramLabel = "NAME=VALUE")
    private Map<String, Double> film = new TreeMap<>();

    @Option(names = "--format", paramLabel = "FORMAT")
    private String format = "png";

    @Option(names = "--fps", paramLabel = "N")
    private @Nullable String fps;

    @Option(names = "--depth", paramLabel = "BITS")
    private int depth = 8;

    @Option(names = "--curve", paramLabel = "NAME")
    private @Nullable String curve;

    @Option(names = "--peak", paramLabel = "LUMINANCE")
    private @Nullable Double peak;

    @Option(names = "--curve-on", paramLabel = "WHAT")
    private @Nullable String curveOn;

    @Option(names = "--gamut", paramLabel = "HOW")
    private String gamut = "preserve";

    @Option(names = "--saturation", paramLabel = "FACTOR")
    private double saturation = 1;

    @Option(names = "--look", paramLabel = "FILE.cube")
    private @Nullable Path look;

    private @Nullable Look read; // that

    @Option(names = "--wrap")
    private boolean wrap;

    @Option(names = "--layer", paramLabel = "NAME")
    private @Nullable String layer;

    @Option(names = "--input-primaries", paramLabel = "NAME")
    private @Nullable String primaries;

    @Option(names = "--quality", paramLabel = "PERCENT")
    private @Nullable Integer quality;

    @Option(names = "--metadata", paramLabel = "WHAT")
    private @Nullable String metadata;

    @Option(names = "--frames", paramLabel = "FIRST-LAST")
    private @Nullable String range;

    @Option(names = "--every", paramLabel = "N")
    private int every = 1;

    @Option(names = "--missing", paramLabel = "WHAT")
    private @Nullable String missing;

    @Option(names = "--partial")
    private boolean partial;

    @Option(names = "--alpha")
    private boolean alpha;

    @Option(names = "--resize", paramLabel = "SIZE")
    private @Nullable String size;

    @Option(names = "--bracket", paramLabel = "STOPS,...")
    private @Nullable String bracket;

    @Option(names = "--shots", paramLabel = "FILE")
    private @Nullable Path shots;

    @Option(names = "--memory", paramLabel = "SIZE")
    private @Nullable String memory;

    private boolean comparing;

    /** Those of the inputs that are asked for. */
    List<Path> chosen(List<Path> inputs) {
        return places(inputs.size()).mapToObj(inputs::get).toList();
    }

    private IntStream places(int count) {
        if (every < 1) {
            throw UserError.usage("--every: there must be 1 or more, not " + every);
        }
        int[] ends = range("--frames: ", range == null ? "1-" : range, count);
        return IntStream.iterate(ends[0], i -> i < ends[1], i -> i + every);
    }

    /** The first place of a range, which counts from 1, and the one behind its last. */
    private static int[] range(String where, String text, int count) {
        if (!text.matches("\\d{1,9}(-\\d{0,9})?")) {
            throw UserError.usage(where + "'" + text + "' is no range such as 10-20, 10- or 10; frames count from 1");
        }
        String[] ends = text.split("-", -1);
        int first = Integer.parseInt(ends[0]);
        String end = ends[ends.length - 1];
        int last = Math.min(end.isEmpty() ? Integer.MAX_VALUE : Integer.parseInt(end), count);
        if (first < 1 || first > last) {
            throw UserError.usage(where + text + " has none of the " + count + " frames; they count from 1");
        }
        return new int[] {first - 1, last};
    }

    /**
     * A picture to be made.
     *
     * @param suffix of its name
     */
    record Take(Path frame, ToneMapSettings settings, String suffix) {}

    /** Whether frames are mapped with settings of their own, or several times. */
    boolean several() {
        return shots != null || bracket != null;
    }

    /** Whether what becomes of a frame depends on others, or on its place among them. */
    boolean needsAll() {
        return smoothing() != null || shots != null || range != null || every != 1 || missing != null;
    }

    /** The pictures of those of the inputs that are asked for. */
    List<Take> takes(List<Path> inputs) {
        if (bracket != null && (smoothing() != null || format().isStream())) {
            throw UserError.usage("--bracket: is for files of frames by themselves, not for y4m and --exposure smooth");
        }
        List<ToneMapSettings> ofEach = new ArrayList<>(Collections.nCopies(inputs.size(), settings()));
        Path file = shots;
        if (file != null) {
            readShots(file, ofEach);
        }
        List<Double> stops = bracket();
        return places(inputs.size())
                .boxed()
                .flatMap(i -> stops.stream().map(stop -> take(inputs.get(i), ofEach.get(i), stop)))
                .toList();
    }

    private Take take(Path frame, ToneMapSettings settings, double stop) {
        if (bracket == null) {
            return new Take(frame, settings, "");
        }
        Double set = settings.exposureStops();
        ToneMapSettings moved = named(
                "--bracket",
                () -> set != null
                        ? settings.withExposure(set + stop)
                        : settings.withAutoExposure(new Metering(
                                settings.metering().key(), settings.metering().bias() + stop)));
        return new Take(frame, moved, "_" + stopsText(stop));
    }

    private static String stopsText(double stop) {
        String digits = BigDecimal.valueOf(stop).stripTrailingZeros().toPlainString();
        return (stop > 0 ? "+" : "") + digits + "ev";
    }

    private List<Double> bracket() {
        String text = bracket;
        if (text == null) {
            return List.of(0.0);
        }
        List<Double> stops =
                Stream.of(text.split(",", -1)).map(ToneMapOptions::number).toList();
        if (stops.stream().anyMatch(stop -> !(Math.abs(stop) <= 20))
                || Set.copyOf(stops).size() < stops.size()) {
            throw UserError.usage("--bracket: '" + text + "' are not different stops from -20 to 20, such as -2,0,2");
        }
        return stops;
    }

    /** Puts what a file says into the settings of the inputs: lines of a range and {@code name=value}. */
    private void readShots(Path file, List<ToneMapSettings> ofEach) {
        List<String> lines = new ArrayList<>();
        try (BoundedLines in = new BoundedLines(BoundedLines.open(file), 4096, MOST_SHOTS)) {
            for (String line = in.next(); line != null; line = in.next()) {
                lines.add(line);
            }
        } catch (DocumentException e) {
            throw UserError.usage("--shots: " + file + ": " + e.getMessage());
        } catch (IOException e) {
            throw UserError.failed("--shots: " + file + ": " + UserError.reason(e));
        }
        String givenOperator = operator;
        String givenExposure = exposure;
        String givenKey = key;
        boolean[] said = new boolean[ofEach.size()];
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).replaceFirst("#.*", "").strip();
            if (line.isEmpty()) {
                continue;
            }
            String where = "--shots: " + file + ", line " + (i + 1) + ": ";
            String[] words = line.split("\\s+", -1);
            int[] ends = range(where, words[0], ofEach.size());
            for (String word : Arrays.asList(words).subList(1, words.length)) {
                set(where, word);
            }
            ToneMapSettings shot;
            try {
                shot = settings();
            } catch (UserError e) {
                throw UserError.usage(where + e.getMessage());
            }
            for (int frame = ends[0]; frame < ends[1]; frame++) {
                if (said[frame]) {
                    throw UserError.usage(where + "frame " + (frame + 1) + " is in a line before");
                }
                said[frame] = true;
                ofEach.set(frame, shot);
            }
            operator = givenOperator;
            exposure = givenExposure;
            key = givenKey;
        }
    }

    private void set(String where, String word) {
        String[] parts = word.split("=", 2);
        String value = parts.length == 1 ? "" : parts[1];
        switch (parts[0]) {
            case "operator" -> operator = value;
            case "exposure" -> {
                if (value.startsWith("smooth")) {
                    throw UserError.usage(where + "smooth is for all frames: give it as --exposure");
                }
                exposure = value;
            }
            case "key" -> key = value;
            default -> throw UserError.usage(where + "'" + word + "' is none of operator=, exposure= and key=");
        }
    }

    /** What of the frames is mapped, and what their colours are. */
    FrameChoice choice() {
        String name = primaries;
        return new FrameChoice(
                layer,
                name == null ? null : UserError.parsed("--input-primaries: ", () -> Primaries.parse(name)),
                partial,
                alpha && !comparing);
    }

    /** What comes in the place of frames that are missing in a sequence; null if nothing was said. */
    @Nullable
    Missing missing() {
        String what = missing;
        return what == null
                ? null
                : switch (what) {
                    case "error" -> Missing.LEFT_OUT;
                    case "black" -> Missing.BLACK;
                    case "hold" -> Missing.HELD;
                    default -> throw UserError.usage("--missing: '" + what + "' is none of error, black, hold");
                };
    }

    PictureFormat format() {
        PictureFormat named = UserError.parsed("--format: ", () -> PictureFormat.parse(format));
        if (named.words() == 2) {
            throw UserError.usage("--format: for more than 8 bits, give --depth");
        }
        if (quality != null && named != PictureFormat.JPEG) {
            throw UserError.usage("--quality: only jpeg has one");
        }
        PictureFormat whole = UserError.parsed("--depth: ", () -> named.withBits(depth));
        return alpha ? UserError.parsed("--alpha: ", whole::withAlpha) : whole;
    }

    /** The size of pictures; null for that of their frames. */
    @Nullable
    PictureSize size() {
        String text = size;
        return text == null ? null : UserError.parsed("--resize: ", () -> PictureSize.parse(text));
    }

    /** Has a stream write so. */
    FrameStreamBuilder applied(FrameStreamBuilder frames) {
        int[] rate = rate();
        Integer percent = quality;
        FrameStreamBuilder all = frames.format(format()).rate(rate[0], rate[1]).choice(choice());
        Missing instead = missing();
        all = instead == null ? all : all.missing(instead);
        PictureSize resized = size();
        all = resized == null ? all : all.size(resized);
        String most = memory;
        all = most == null ? all : all.budget(UserError.parsed("--memory: ", () -> Sizes.parse(most)));
        all = percent == null ? all : all.quality(percent);
        return metadata == null ? all : all.metadata(kept());
    }

    /** What files of pictures have beside their pixels. */
    private Metadata kept() {
        PictureFormat into = format();
        if (metadata != null && into != PictureFormat.JPEG && !into.text().startsWith("png")) {
            throw UserError.usage("--metadata: only png and jpeg have some");
        }
        return oneOf("--metadata", metadata == null ? "all" : metadata, Metadata.values());
    }

    /** Finds what cannot be, before any device is opened. */
    void check() {
        rate();
        choice();
        size();
        kept();
        String most = memory;
        if (most != null) {
            UserError.parsed("--memory: ", () -> Sizes.parse(most));
        }
        if (quality != null && (quality < 1 || quality > 100)) {
            throw UserError.usage("--quality: it must be 1 to 100, not " + quality);
        }
    }

    /** Frames in so many seconds. */
    private int[] rate() {
        String text = fps;
        if (text == null) {
            return new int[] {25, 1};
        }
        if (!format().isStream()) {
            throw UserError.usage("--fps: only y4m says how fast frames are shown");
        }
        if (!text.matches("\\d{1,6}(/\\d{1,6})?") || text.matches("0+(/.*)?|.*/0+")) {
            throw UserError.usage("--fps: '" + text + "' is no rate such as 25 or 30000/1001");
        }
        String[] parts = (text + "/1").split("/", 3);
        return new int[] {Integer.parseInt(parts[0]), Integer.parseInt(parts[1])};
    }

    /** The same for each operator for plain displays, but for what one does not take. */
    List<ToneMapSettings> ofEachOperator() {
        if (operator != null || depth != 8 || smoothing() != null) {
            throw UserError.usage("--compare-operators: is of one frame, all operators and 8 bits;"
                    + " leave out --operator, --depth and --exposure smooth");
        }
        comparing = true;
        List<ToneMapSettings> all = new ArrayList<>();
        for (Operator each : Operator.values()) {
            operator = each.commandLineName();
            if (each.words() == 1) {
                all.add(settings());
            }
        }
        return all;
    }

    ToneMapSettings settings() {
        boolean wide = depth == 16 && (SRGB.equals(curve) || (curve == null && operator != null));
        ToneMapSettings plain = depth == 8 || wide ? forDisplays() : forHdrDisplays();
        ToneMapSettings biased =
                given(plain, "--drago-bias", dragoBias, o -> o == Operator.DRAGO, plain::withDragoBias);
        ToneMapSettings filmed = given(
                biased,
                "--film",
                film.isEmpty() ? null : film,
                o -> o == Operator.FILM,
                values -> biased.withFilm(film(values)));
        ToneMapSettings whitened = given(filmed, "--white", white, Operator::takesWhite, filmed::withWhite);
        ToneMapSettings wrapped = given(whitened, "--wrap", wrap ? true : null, Operator::isLocal, whitened::withWrap);
        Colours.OutOfRange outOfRange = oneOf("--gamut", gamut, Colours.OutOfRange.values());
        ToneMapSettings saturated =
                named("--saturation", () -> wrapped.withColours(new Colours(null, outOfRange, saturation)));
        return looked(exposed(given(
                saturated,
                "--curve-on",
                curveOn,
                Operator::takesCurveOn,
                on -> saturated.withColours(
                        new Colours(oneOf("--curve-on", on, Colours.CurveOn.values()), outOfRange, saturation)))));
    }

    private ToneMapSettings looked(ToneMapSettings settings) {
        Path file = look;
        if (file == null) {
            return settings;
        }
        try {
            read = read == null ? CubeFile.read(file) : read;
        } catch (FrameException e) {
            throw UserError.failed("--look: " + e.getMessage());
        }
        return named("--look", () -> settings.withLook(read));
    }

    /** Whether pictures have a look. */
    boolean hasLook() {
        return look != null;
    }

    private ToneMapSettings exposed(ToneMapSettings settings) {
        Matcher automatic = AUTOMATIC.matcher(exposure);
        String grey = key;
        boolean none = settings.operator() == Operator.FILM && !comparing;
        if (grey != null && (!automatic.matches() || none)) {
            throw UserError.usage("--key: is for automatic exposure");
        }
        if (!automatic.matches()) {
            return named("--exposure", () -> settings.withExposure(stops()));
        }
        Double middle = grey == null ? Metering.defaults().key() : grey.equals("auto") ? null : (Double) number(grey);
        ToneMapSettings keyed = named("--key", () -> settings.withAutoExposure(new Metering(middle, 0)));
        String bias = automatic.group(3);
        return bias == null
                ? keyed
                : named("--exposure", () -> keyed.withAutoExposure(new Metering(middle, number(bias))));
    }

    /** The settings with the option's value if it was given, which is for some operators. */
    private <T> ToneMapSettings given(
            ToneMapSettings settings,
            String option,
            @Nullable T value,
            Predicate<Operator> applies,
            Function<T, ToneMapSettings> with) {
        if (value == null || (comparing && !applies.test(settings.operator()))) {
            return settings;
        }
        if (!applies.test(settings.operator())) {
            throw UserError.usage(option + ": applies to "
                    + names(Arrays.stream(Operator.values()).filter(applies).map(Operator::commandLineName))
                    + ", not to " + settings.operator().commandLineName());
        }
        return named(option, () -> with.apply(value));
    }

    private static String names(Stream<String> names) {
        return names.collect(Collectors.joining(", "));
    }

    private static <E extends Enum<E>> E oneOf(String option, String text, E[] values) {
        return Arrays.stream(values)
                .filter(v -> v.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst()
                .orElseThrow(() -> UserError.usage(option + ": '" + text + "' is none of "
                        + names(Arrays.stream(values).map(v -> v.name().toLowerCase(Locale.ROOT)))));
    }

    private ToneMapSettings forDisplays() {
        boolean hdr = curve != null && !curve.equals(SRGB);
        if (hdr || peak != null) {
            throw UserError.usage(
                    (hdr ? "--curve" : "--peak") + ": is for HDR displays, with --depth 16 or 10, and no operator");
        }
        String name = operator == null ? Operator.REINHARD_EXTENDED.commandLineName() : operator;
        Operator named = UserError.parsed("--operator: ", () -> Operator.parse(name));
        if (named.words() == 2) {
            throw UserError.usage("--operator: " + name + " is for HDR displays: --depth 16 --curve " + name);
        }
        return ToneMapSettings.of(named);
    }

    private ToneMapSettings forHdrDisplays() {
        if (operator != null) {
            throw UserError.usage("--operator: is for plain displays; pq and hlg have none");
        }
        String name = curve == null ? Operator.PQ.commandLineName() : curve;
        if (!name.equals(Operator.PQ.commandLineName()) && !name.equals(Operator.HLG.commandLineName())) {
            throw UserError.usage("--curve: '" + name + "' is none of pq, hlg and, without 10 bits, srgb");
        }
        ToneMapSettings settings = ToneMapSettings.of(Operator.parse(name));
        Double most = peak;
        return most == null ? settings : named("--peak", () -> settings.withPeak(most));
    }

    /** Over how many frames exposure is to be smoothed; null if it is not. */
    @Nullable
    Double smoothing() {
        Matcher automatic = AUTOMATIC.matcher(exposure);
        if (!automatic.matches() || automatic.group(1) == null) {
            return null;
        }
        if (!settings().needsStatistics()) {
            throw UserError.usage("--exposure: " + settings().operator().commandLineName()
                    + " has no automatic exposure that could be smoothed");
        }
        String given = automatic.group(2);
        double frames = given == null ? FRAMES : number(given);
        if (!(frames >= 1 && frames <= FrameStreamBuilder.MOST_SMOOTHED)) {
            throw UserError.usage(
                    "--exposure: smooth takes 1 to " + FrameStreamBuilder.MOST_SMOOTHED + " frames, not " + given);
        }
        return frames;
    }

    /** Settings say what is wrong with a value; this adds where it came from. */
    private static ToneMapSettings named(String option, Supplier<ToneMapSettings> settings) {
        try {
            return settings.get();
        } catch (IllegalArgumentException e) {
            throw UserError.usage(option + ": " + e.getMessage());
        }
    }

    private double stops() {
        double stops = number(exposure);
        if (Double.isNaN(stops)) {
            throw UserError.usage(
                    "--exposure: '" + exposure + "' is neither auto, smooth, smooth:FRAMES nor a number of stops");
        }
        return stops;
    }

    /** NaN for what is none. */
    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private static FilmCurve film(Map<String, Double> values) {
        FilmCurve d = FilmCurve.defaults();
        Map<String, Double> left = new TreeMap<>(values);
        FilmCurve curve = new FilmCurve(
                take(left, "exposure", d.exposure()),
                take(left, "kLow", d.kneeLow()),
                take(left, "kHigh", d.kneeHigh()),
                take(left, "gamma", d.gamma()),
                take(left, "defog", d.defog()));
        if (!left.isEmpty()) {
            throw UserError.usage("--film: there is no setting "
                    + left.keySet().iterator().next() + "; there are kLow, kHigh, exposure, gamma, defog");
        }
        return curve;
    }

    private static double take(Map<String, Double> left, String name, double otherwise) {
        Double value = left.remove(name);
        return value == null ? otherwise : value;
    }
}
