package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.Report;
import dev.evener.frames.CubeFile;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameFile;
import dev.evener.frames.FrameJob;
import dev.evener.frames.FrameNames;
import dev.evener.frames.FrameStream;
import dev.evener.frames.FrameStreamBuilder;
import dev.evener.frames.LoadedFrame;
import dev.evener.frames.PictureFormat;
import dev.evener.frames.StreamReport;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import dev.evener.workloads.cli.Screen.ProgressLine;
import dev.evener.workloads.cli.ToneMapOptions.Take;
import dev.evener.workloads.cli.report.ContactSheet;
import dev.evener.workloads.cli.report.FrameChecks;
import dev.evener.workloads.cli.report.TonemapReport;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.replay.JobLog;
import java.awt.image.BufferedImage;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The main job: HDR frames in, pictures out, on all devices. */
@Command(
        name = "tonemap",
        description = "Tone-maps Radiance .hdr, OpenEXR and .pfm frames to pictures, on all devices."
                + " With no input, the bundled samples.")
final class TonemapCommand extends JobCommand {
    private static final String STREAM = "stream";
    private static final String END = ".end";
    private static final long LOOK_MILLIS = 500;
    private static final String SHEET = "contact sheet";
    private static final String TABLE = "table";

    @Parameters(paramLabel = "INPUT", description = "Frames, or folders of them.")
    private List<String> inputs = new ArrayList<>();

    /** Inputs that cannot be named, or whose pictures have no place, in a line each. */
    private final List<String> unnamed = new ArrayList<>();

    @Option(names = "--out", required = true, paramLabel = "PATH")
    private Path out = Path.of("out");

    @Option(names = "--compare-operators")
    private boolean compare;

    @Option(names = "--write-cube")
    private boolean cube;

    @Option(names = "--force")
    private boolean force;

    @Option(names = "--skip-existing")
    private boolean skip;

    @Option(names = "--watch")
    private boolean watch;

    @Mixin
    private ToneMapOptions toneMap = new ToneMapOptions();

    @Override
    int execute() {
        PictureFormat format = toneMap.format();
        if (compare) {
            return contactSheet(toneMap.ofEachOperator());
        }
        if (cube) {
            return writeCube(toneMap.settings());
        }
        boolean pictures = !format.isStream() && !toStandardOutput();
        checkName(format);
        if (skip && (force || !pictures || toneMap.smoothing() != null)) {
            throw UserError.usage("--skip-existing: is for a file of each frame by itself, without --force; leave out "
                    + (force ? "one" : pictures ? "--exposure smooth" : "the stream"));
        }
        if (!pictures && !toStandardOutput()) {
            OutputFiles.check(STREAM, out);
        }
        toneMap.check();
        checkOptions();
        ToneMapSettings settings = toneMap.settings();
        refuseToRecord(format);
        if (watch) {
            return watch(format, settings, pictures);
        }
        boolean film = !pictures || toneMap.smoothing() != null;
        List<Take> all = toneMap.takes(sequence(inputs.isEmpty() ? ProgramFiles.samples() : expand(inputs), film));
        List<Path> files = all.stream().map(Take::frame).distinct().toList();
        if (pictures && isFile(format) && all.size() != 1) {
            throw UserError.usage("--out: " + out + " names a file, and there are " + all.size()
                    + (files.size() == all.size() ? " frames" : " pictures") + "; name a folder, without the ending of "
                    + format.text());
        }
        if (!pictures && !toStandardOutput()) {
            checkOwn(format, out, files);
        }
        List<Take> mapped = pictures ? free(all, files, format) : all;
        checkFiles(
                files, pictures ? mapped.stream().map(f -> picture(f, format)).toList() : List.of());
        return onDevices("tonemap", (evener, session) -> map(evener, mapped, settings, session));
    }

    private void refuseToRecord(PictureFormat format) {
        if (toneMap.smoothing() != null) {
            record.refuse("--exposure smooth makes frames depend on others, and a record has each by itself");
        }
        if (toneMap.missing() != null) {
            record.refuse("--missing shows frames in the place of others, and a record has each once");
        }
        if (toneMap.choice().partial()) {
            record.refuse("--partial shows what may be more the next time");
        }
        if (format.hasAlpha()) {
            record.refuse("--alpha makes pictures of four components, and a record has three");
        }
        if (toneMap.size() != null) {
            record.refuse("--resize makes pictures of another size, and a record has those of frames");
        }
        if (toneMap.several()) {
            record.refuse("--shots and --bracket map frames differently, and a record has all alike");
        }
        if (toneMap.hasLook()) {
            record.refuse("--look is a file of its own, and a record has all that it needs");
        }
    }

    /**
     * Maps frames of a folder as they come, until a file {@value #END} is in it: each when it was as large and as old the last time,
     * and again when it has changed. Those whose pictures are there when it is seen first are left.
     */
    private int watch(PictureFormat format, ToneMapSettings settings, boolean pictures) {
        Path folder = Path.of(inputs.size() == 1 ? inputs.get(0) : "");
        if (inputs.size() != 1 || !Files.isDirectory(folder)) {
            throw UserError.usage("--watch: takes one INPUT, a folder");
        }
        if (!pictures || isFile(format) || toneMap.needsAll() || repeat > 1 || force || report.wanted()) {
            throw UserError.usage(
                    "--watch: maps each frame by itself to a file in a folder, once; leave out --format y4m,"
                            + " --exposure smooth, --shots, --frames, --every, --missing, --repeat, --force, --trace and --report");
        }
        record.refuse("--watch does not know what will come");
        return onDevices("tonemap", (evener, session) -> {
            Map<Path, List<Long>> looked = new HashMap<>();
            Map<Path, List<Long>> tried = new HashMap<>();
            int code = EvenerCommand.DONE;
            for (boolean ended = false; !ended; ) {
                ended = Files.exists(folder.resolve(END)); // all that was there before it is mapped
                List<Take> ready = new ArrayList<>();
                for (Path file : framesIn(folder)) {
                    List<Long> now = state(file);
                    boolean still = now.equals(looked.put(file, now));
                    if ((still || ended) && !now.equals(tried.get(file))) {
                        boolean first = tried.put(file, now) == null;
                        toneMap.takes(List.of(file)).stream()
                                .filter(take -> !first || !Files.exists(picture(take, format)))
                                .forEach(ready::add);
                    }
                }
                if (!ready.isEmpty()) {
                    code = Math.max(code, map(evener, ready, settings, session));
                } else if (!ended) {
                    pause();
                }
            }
            return code;
        });
    }

    private static void pause() {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw UserError.failed("interrupted");
        }
    }

    private static List<Path> framesIn(Path folder) {
        try {
            return FrameNames.in(folder);
        } catch (IOException e) {
            throw UserError.failed(folder + ": the folder cannot be read: " + UserError.reason(e));
        } catch (UncheckedIOException e) {
            throw UserError.failed(folder + ": the folder cannot be read: " + UserError.reason(e.getCause()));
        }
    }

    /** How large and how old a file is. */
    private static List<Long> state(Path file) {
        try {
            return List.of(Files.size(file), Files.getLastModifiedTime(file).toMillis());
        } catch (IOException e) {
            return List.of(-1L, System.nanoTime()); // gone again, or to be asked again
        }
    }

    /** Whether pictures go to one file and not to a folder. */
    private boolean isFile(PictureFormat format) {
        return format.isNamedSo(out) && !Files.isDirectory(out);
    }

    /** Refuses a name that ends as those of another format's files, of which there would be a folder, or a file of this. */
    private void checkName(PictureFormat format) {
        if (toStandardOutput() || format.isNamedSo(out) || Files.isDirectory(out)) {
            return;
        }
        for (PictureFormat other : PictureFormat.values()) {
            if (other.isNamedSo(out)) {
                throw UserError.usage("--out: " + out + " is named as " + other.text() + ", and --format is "
                        + format.text() + "; give --format, or another name");
            }
        }
        if (!Files.exists(out) && FrameFile.isNamedSo(String.valueOf(out.getFileName()))) {
            throw UserError.usage(
                    "--out: " + out + " is named as a frame; name a folder, or a file as " + format.text());
        }
    }

    private Path picture(Take take, PictureFormat format) {
        return isFile(format) ? out : out.resolve(format.nameOf(take.frame(), take.suffix()));
    }

    /**
     * Those whose pictures are not there and to be left, or would replace what is no picture of ours, which is said.
     */
    private List<Take> free(List<Take> all, List<Path> files, PictureFormat format) {
        List<Take> free = new ArrayList<>();
        for (Take take : all) {
            Path picture = picture(take, format);
            if (skip && Files.exists(picture)) {
                continue;
            }
            try {
                checkOwn(format, picture, files);
                free.add(take);
            } catch (UserError e) {
                unnamed.add(e.getMessage());
            }
        }
        return free;
    }

    private void checkOwn(PictureFormat format, Path picture, List<Path> inputs) {
        try {
            boolean replaces = !force && Files.isRegularFile(picture) && !format.mayBeOwn(picture);
            for (Path each : inputs) { // which is said as well when it is written, of all formats
                replaces = replaces && !(Files.exists(each) && Files.isSameFile(each, picture));
            }
            if (!replaces) {
                return;
            }
        } catch (IOException e) {
            return; // said when it is written
        }
        throw UserError.failed(picture + ": is there already, and is no " + format.text()
                + " of this program; --force replaces it" + (format.isStream() ? "" : ", --skip-existing leaves it"));
    }

    /** An operator as a table, which has no place for what depends on where a pixel is. */
    private int writeCube(ToneMapSettings settings) {
        checkOptions();
        refuseMeasuring("--write-cube");
        record.refuse("--write-cube maps no frames");
        if (settings.operator().isLocal()) {
            throw UserError.usage("--write-cube: what " + settings.operator().commandLineName()
                    + " makes of a colour depends on those around it, which a table cannot say;"
                    + " choose another --operator");
        }
        if (toneMap.format() != PictureFormat.PNG || toneMap.several() || toneMap.smoothing() != null) {
            throw UserError.usage(
                    "--write-cube: makes one table of 8-bit colours; leave out --format, --depth, --bracket,"
                            + " --shots and --exposure smooth");
        }
        List<Path> files = expand(inputs);
        if (files.size() > 1 || (settings.needsStatistics() && files.isEmpty())) {
            throw UserError.usage("--write-cube: takes one frame, to be measured, or none with --exposure STOPS"
                    + (settings.operator().takesWhite() ? " and --white LUMINANCE" : ""));
        }
        if (!out.toString().toLowerCase(Locale.ROOT).endsWith(".cube")) {
            throw UserError.usage("--write-cube: --out names a file that ends in .cube, not " + out);
        }
        checkFiles(files, List.of(out));
        OutputFiles.check(TABLE, out);
        return onDevices("tonemap", (evener, session) -> {
            ToneMapSettings exposed = settings;
            if (settings.needsStatistics()) {
                try (FrameJob work = new FrameJob(Allocator.of(evener), tuning(evener), PictureFormat.RAW);
                        LoadedFrame frame = new LoadedFrame(
                                        toneMap.choice().of(FrameFile.open(files.get(0))), PictureFormat.RAW, evener)
                                .decode()) {
                    evener.submit(frame.job(work, settings)).join();
                    exposed = settings.exposedFor(work.measured());
                } catch (FrameException e) {
                    throw UserError.failed(e.getMessage());
                }
            }
            ToneMapSettings its = exposed;
            OutputFiles.writeIf(TABLE, out, channel -> {
                CubeFile.write(channel, evener, tuning(evener), its);
                return true;
            });
            return told();
        });
    }

    private void refuseMeasuring(String option) {
        if (policy.given() || verify || repeat > 1) {
            throw UserError.usage(option + ": measures nothing; leave out --policy, --split, --repeat and --verify");
        }
    }

    /** Says which file was written. */
    private int told() {
        tell(
                () -> out + System.lineSeparator(),
                () -> "",
                () -> Map.of("workload", "tonemap", "written", List.of(out.toString())));
        return EvenerCommand.DONE;
    }

    /** All operators' pictures of one frame in one picture. */
    private int contactSheet(List<ToneMapSettings> all) {
        checkOptions();
        refuseMeasuring("--compare-operators");
        record.refuse("--compare-operators maps a frame several times, and a record has each once");
        List<Path> files = toneMap.chosen(inputs.isEmpty() ? ProgramFiles.samples() : expand(inputs));
        String type = out.toString().toLowerCase(Locale.ROOT).replaceFirst(".*\\.", "");
        if (files.size() != 1 || !type.matches("png|jpe?g")) {
            throw UserError.usage("--compare-operators: takes one frame, not " + files.size()
                    + ", and --out names a .png or .jpg file");
        }
        checkFiles(files, List.of(out));
        OutputFiles.check(SHEET, out);
        return onDevices("tonemap", (evener, session) -> {
            try {
                FrameFile file = toneMap.choice().of(FrameFile.open(files.get(0)));
                warn(file.warnings().stream().map(w -> files.get(0) + ": " + w).toList());
                BufferedImage sheet = ContactSheet.of(evener, file, all, tuning(evener));
                OutputFiles.writeIf(
                        SHEET, out, channel -> ImageIO.write(sheet, type, Channels.newOutputStream(channel)));
            } catch (FrameException e) {
                throw UserError.failed(e.getMessage());
            }
            return told();
        });
    }

    private int map(Evener evener, List<Take> takes, ToneMapSettings settings, RecordOptions.Session session) {
        List<Path> files = takes.stream().map(Take::frame).toList();
        Map<Path, JobLog> logs = session.frames(
                files,
                settings,
                toneMap.format(),
                toneMap.choice(),
                devices.selector().toString());
        FrameChecks checks = new FrameChecks(files, toneMap.choice(), settings, verify, policy.text(), logs);
        Policy cut = policy(evener, policy);
        Tuning tuning = tuning(evener);
        FrameStreamBuilder frames = toneMap.applied(
                FrameStream.of(files, evener, settings).tuning(tuning).watch(checks));
        if (!logs.isEmpty()) {
            frames.jobEach();
        }
        if (toneMap.several()) {
            frames.settings(takes.stream().map(Take::settings).toList());
        }
        long began = System.nanoTime();
        CompletableFuture<Long> prepared = cold ? CompletableFuture.completedFuture(0L) : frames.prepare();
        if (!cold && repeat > 1) { // else nobody measures, and a frame mapped twice would be time lost
            checks.warmUp(evener, files, cut, tuning, toneMap.format(), this::warmUp);
        }
        warm(); // also if there was nothing to warm up with
        if (policy.given()) {
            frames.policy(cut);
        }
        Double smoothing = toneMap.smoothing();
        if (smoothing != null) {
            frames.smoothing(smoothing);
        }
        StreamReport stream = stream(frames, takes);
        // Of devices that still build, nobody needs anything any more.
        long built = prepared.getNow(System.nanoTime() - began);
        long waited = stream.jobs().stream().mapToLong(Report::buildNanos).sum();
        TonemapReport mapped = new TonemapReport(
                settings,
                stream,
                warmUp(Math.max(built, waited), checks.warmUpFrames()), // at the same time
                evener.devices());
        warn(unnamed);
        warn(mapped.warnings());
        stream.failures().forEach(this::tell);
        warn(mapped.recovered());
        List<String> mismatches = checks.mismatches();
        warn(mismatches);
        return end(stream, mapped, mismatches);
    }

    /** Says what became of it. */
    private int end(StreamReport stream, TonemapReport mapped, List<String> mismatches) {
        String written = stream.written().stream()
                .map(file -> file + System.lineSeparator())
                .collect(Collectors.joining());
        tell(
                watch ? () -> written : mapped::text,
                mapped::explanation,
                () -> mapped.toMap(policy.text(), verify, unnamed, mismatches));
        show(stream, mapped, mismatches);
        return unnamed.isEmpty()
                        && stream.failures().stream().allMatch(StreamReport.Failure::replaced)
                        && mismatches.isEmpty()
                ? EvenerCommand.DONE
                : EvenerCommand.FAILED;
    }

    private void show(StreamReport stream, TonemapReport mapped, List<String> mismatches) {
        report.keep("tone mapping");
        int frames = stream.frames().size();
        report.write("evener tonemap: " + TextTable.counted(frames, "frame"), page -> {
            page.fact("frames per second", TextTable.format("%.1f", stream.framesPerSecond()));
            mapped.stages(page);
            unnamed.forEach(page::warning);
            mapped.warnings().forEach(page::warning);
            stream.failures().forEach(f -> page.warning(EvenerCommand.oneLine(f.message())));
            mismatches.forEach(page::warning);
        });
    }

    private void tell(StreamReport.Failure failure) {
        if (verbose()) {
            failure.cause().printStackTrace(err());
        } else {
            warn(List.of(failure.message()));
        }
    }

    private boolean toStandardOutput() {
        return OutputFiles.isStandardOutput(out);
    }

    @Override
    PrintWriter people() {
        return toStandardOutput() ? err() : super.people();
    }

    /** Has the stream write to a folder, to standard output, or, all frames behind each other, to a file. */
    private StreamReport stream(FrameStreamBuilder frames, List<Take> takes) {
        ProgressLine progress = progress();
        frames.passes(repeat).progress(progress::update);
        if (!toStandardOutput() && !toneMap.format().isStream()) {
            PictureFormat format = toneMap.format();
            List<Path> names = takes.stream()
                    .map(take -> format.nameOf(take.frame(), take.suffix()))
                    .toList();
            return run(isFile(format) ? frames.intoFile(out) : frames.into(out, names), progress);
        }
        if (toStandardOutput()) {
            return run(frames.into(new FileOutputStream(FileDescriptor.out).getChannel()), progress);
        }
        AtomicReference<@Nullable StreamReport> done = new AtomicReference<>();
        OutputFiles.writeIf(STREAM, out, channel -> {
            StreamReport ran = run(frames.into(channel), progress);
            boolean any = !ran.frames().isEmpty();
            List<Path> written = any ? List.of(out) : List.of();
            done.set(new StreamReport(ran.frames(), written, ran.failures(), ran.pipeline(), ran.memory()));
            return any;
        });
        return Objects.requireNonNull(done.get());
    }

    private StreamReport run(FrameStream opened, ProgressLine progress) {
        try (FrameStream stream = opened) {
            Thread stopper = new Thread(stream::close, "evener-stop"); // Ctrl-C leaves no half-written file behind
            Runtime.getRuntime().addShutdownHook(stopper);
            try {
                return stream.run();
            } finally {
                progress.clear();
                try {
                    Runtime.getRuntime().removeShutdownHook(stopper);
                } catch (IllegalStateException e) {
                    // The process is on its way out already, and the hook with it.
                }
            }
        } catch (FrameException e) {
            throw UserError.failed(e.getMessage());
        } catch (IOException e) {
            throw toStandardOutput() ? UserError.unwritten(e) : new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw UserError.failed("interrupted");
        }
    }

    /** Folders stand for the frames in them, in natural order of their names. */
    private List<Path> expand(List<String> given) {
        List<Path> files = new ArrayList<>();
        for (String name : given) {
            if (name.isEmpty()) {
                throw UserError.usage("INPUT: the name is empty; . is the current folder");
            }
            Path path;
            try {
                path = EvenerCommand.path(name);
            } catch (UserError e) {
                unnamed.add(e.getMessage());
                continue;
            }
            if (!Files.isDirectory(path)) {
                files.add(path);
                continue;
            }
            List<Path> own = framesIn(path);
            if (own.isEmpty()) {
                throw UserError.failed(path + ": " + FrameFile.NONE_IN_FOLDER);
            }
            files.addAll(own);
        }
        return files;
    }

    /**
     * With those that are missing in it, if something is to be shown for them; else it is said where they are, if it
     * is a film.
     */
    private List<Path> sequence(List<Path> files, boolean film) {
        List<Path> all = new ArrayList<>();
        int taken = 0;
        for (FrameNames.Gap gap : FrameNames.gaps(files)) {
            String follows = files.get(gap.at()) + ": comes after " + gap.before();
            if (gap.count() == 0 || toneMap.missing() == null) {
                String why = gap.count() == 0
                        ? ", as named; the frames of a folder come in the order of their numbers"
                        : ", and " + TextTable.counted(gap.count(), "frame") + " between them are not there;"
                                + " --missing black or hold shows something for them";
                warn(film ? List.of(follows + why) : List.of());
                continue;
            }
            if (gap.count() > FrameStreamBuilder.MOST_SMOOTHED) {
                throw UserError.usage("--missing: " + follows + ", so that " + gap.count()
                        + " frames would be missing; " + FrameStreamBuilder.MOST_SMOOTHED + " may be");
            }
            all.addAll(files.subList(taken, gap.at()));
            gap.missing().forEach(all::add);
            taken = gap.at();
        }
        all.addAll(files.subList(taken, files.size()));
        return all;
    }
}
