package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameStream;
import dev.evener.frames.StreamReport;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The main job: HDR frames in, PNG files out, every frame split over the devices. */
@Command(
        name = "tonemap",
        description = "Tone-maps Radiance .hdr and .pfm frames to PNG files, each frame split over the devices."
                + " With no input, the bundled samples.")
final class TonemapCommand extends CliCommand {
    private static final List<String> EXTENSIONS = List.of(".hdr", ".pic", ".rgbe", ".pfm");

    @Parameters(paramLabel = "INPUT", description = "Frames, or folders of them.")
    private List<String> inputs = new ArrayList<>();

    /** Inputs that cannot be named, in a line each. */
    private final List<String> unnamed = new ArrayList<>();

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Where the PNG files go.")
    private Path out = Path.of("out");

    @Mixin
    private ToneMapOptions toneMap = new ToneMapOptions();

    @Mixin
    private TuningOption tuning = new TuningOption();

    @Mixin
    private DeviceOptions devices = new DeviceOptions();

    @Mixin
    private PolicyOptions policy = new PolicyOptions();

    @Mixin
    private FaultOptions faults = new FaultOptions();

    @Option(
            names = "--explain",
            description = "Say why the devices were chosen, what was predicted and how far that was off.")
    private boolean explain;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description = "Go through the list N times, for measuring, and warm up for a second instead of with one"
                    + " frame; the last time writes the files.")
    private int repeat = 1;

    @Mixin
    private WarmUpOption warmUp = new WarmUpOption();

    @Option(names = "--verify", description = "Check every picture against the double-precision reference.")
    private boolean verify;

    @Mixin
    private CheckedOption checked = new CheckedOption();

    @Mixin
    private RecordOption record = new RecordOption();

    @Mixin
    private ViewOptions view = new ViewOptions();

    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    int execute() {
        UserError.checkCount("--repeat", repeat, 1_000_000);
        if (out.toString().isEmpty()) {
            throw UserError.usage("--out: the name is empty; . is the current folder");
        }
        policy.check();
        json.check();
        record.check();
        view.check();
        ToneMapSettings settings = toneMap.settings();
        List<Path> files = inputs.isEmpty() ? Samples.files() : expand(inputs);
        Evener.Builder usual = Evener.builder().devices(devices.selector()).bindCores(true);
        Evener.Builder builder = view.on(faults.on(checked.on(usual, policy, warmUp), warmUp.over()));
        try (RecordOption.Session session = record.begin("tonemap");
                Evener evener = session.on(builder).open()) {
            if (!quiet()) {
                DeviceOptions.notes(evener).forEach(note -> err().println("evener: " + note));
                err().flush();
            }
            return map(evener, files, settings, session);
        }
    }

    private int map(Evener evener, List<Path> files, ToneMapSettings settings, RecordOption.Session session) {
        ProgressLine progress = new ProgressLine(err(), !quiet());
        try (ToneMapper mapper = new ToneMapper(evener::allocate, tuning.on(evener, this))) {
            FrameMapper frames = new FrameMapper(
                    evener,
                    mapper,
                    settings,
                    policy.policy(evener.devices().size()),
                    verify,
                    work -> warmUp.run(repeat, work),
                    policy.text(),
                    session.frames(files, settings, devices.selector().toString()));
            StreamReport stream = stream(evener, files, frames, progress);
            TonemapReport report = new TonemapReport(settings, stream, frames, warmUp, evener.devices());
            unnamed.forEach(u -> err().println("evener: " + EvenerCommand.oneLine(u)));
            stream.failures().forEach(this::tell);
            report.recovered().forEach(f -> err().println("evener: " + EvenerCommand.oneLine(f)));
            frames.mismatches().forEach(m -> err().println("evener: " + m));
            err().flush();
            if (!quiet() && !json.toStandardOutput()) {
                out().print(report.text() + checked.text());
                if (explain) {
                    out().print(report.explanation());
                }
            }
            if (json.wanted()) {
                json.write(out(), report.toMap(verify, unnamed, frames.mismatches()));
            }
            show(evener, stream, frames);
            return unnamed.isEmpty()
                            && stream.failures().isEmpty()
                            && frames.mismatches().isEmpty()
                    ? EvenerCommand.DONE
                    : EvenerCommand.FAILED;
        }
    }

    private void show(Evener evener, StreamReport stream, FrameMapper frames) {
        view.keep("tone mapping", evener.devices());
        view.write("evener tonemap: " + stream.processed() + (stream.processed() == 1 ? " frame" : " frames"), page -> {
            page.fact("frames per second", String.format(Locale.ROOT, "%.1f", stream.framesPerSecond()));
            unnamed.forEach(page::warning);
            stream.failures().forEach(f -> page.warning(EvenerCommand.oneLine(f.message())));
            frames.mismatches().forEach(page::warning);
        });
    }

    private void tell(StreamReport.Failure failure) {
        if (verbose()) {
            failure.cause().printStackTrace(err());
        } else {
            err().println("evener: " + EvenerCommand.oneLine(failure.message()));
        }
    }

    private StreamReport stream(Evener evener, List<Path> files, FrameMapper frames, ProgressLine progress) {
        try (FrameStream stream = FrameStream.of(files, evener::allocate)
                .passes(repeat)
                .progress(progress::update)
                .into(out)) {
            Thread stopper = new Thread(stream::close, "evener-stop"); // Ctrl-C leaves no half-written file behind
            Runtime.getRuntime().addShutdownHook(stopper);
            try {
                return stream.run(frames);
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
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw UserError.failed("interrupted");
        }
    }

    /** Folders stand for the frames in them, in order of their names. */
    private List<Path> expand(List<String> given) {
        List<Path> files = new ArrayList<>();
        for (String name : given) {
            if (name.isEmpty()) {
                throw UserError.usage("INPUT: the name is empty; . is the current folder");
            }
            Path path;
            try {
                path = Path.of(name);
            } catch (InvalidPathException e) {
                unnamed.add(name + ": this locale (" + System.getProperty("sun.jnu.encoding")
                        + ") has no such letters; set LC_ALL=C.UTF-8, or name the file's folder");
                continue;
            }
            if (!Files.isDirectory(path)) {
                files.add(path);
                continue;
            }
            int before = files.size();
            try (Stream<Path> list = Files.list(path)) {
                list.filter(TonemapCommand::isFrame).sorted().forEach(files::add);
            } catch (IOException | UncheckedIOException e) {
                throw UserError.failed(path + ": the folder cannot be read: " + e.getMessage());
            }
            if (files.size() == before) {
                throw UserError.failed(path + ": there is no .hdr, .pic, .rgbe or .pfm file in this folder");
            }
        }
        return files;
    }

    private static boolean isFrame(Path file) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        return EXTENSIONS.stream().anyMatch(name::endsWith) && Files.isRegularFile(file);
    }
}
