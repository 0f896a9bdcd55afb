package dev.evener.workloads.cli.report;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.ManagedBuffer;
import dev.evener.frames.FrameChoice;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameFile;
import dev.evener.frames.FrameJob;
import dev.evener.frames.FrameWatch;
import dev.evener.frames.LoadedFrame;
import dev.evener.frames.PictureFormat;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.reference.AlphaReference;
import dev.evener.kernels.reference.ResizeReference;
import dev.evener.kernels.reference.ToneMapReference;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import dev.evener.workloads.replay.Digests;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.Output;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/**
 * What a command does about frames beside mapping them: it warms up, notes jobs in a record, and compares each file's first
 * picture with the reference. One thread warms up; after that, those of a stream.
 */
public final class FrameChecks implements FrameWatch {
    private static final JobLog UNRECORDED = JobLog.none();

    private final FrameChoice choice;
    private final ToneMapSettings settings;
    private final boolean verify;
    private final String policyText;
    private final Map<Path, JobLog> logs;
    private final Set<Path> verified = ConcurrentHashMap.newKeySet();
    private final ConcurrentSkipListMap<Path, String> mismatches;
    private long warmUpFrames;

    /**
     * @param files in the order in which mismatches are told
     * @param choice what of them is mapped
     * @param verify whether to check each file's first picture against the reference
     * @param policyText the policy as records name it
     * @param logs where jobs are noted, for each file; none where nothing is recorded
     */
    public FrameChecks(
            List<Path> files,
            FrameChoice choice,
            ToneMapSettings settings,
            boolean verify,
            String policyText,
            Map<Path, JobLog> logs) {
        this.choice = choice;
        this.settings = settings;
        this.verify = verify;
        this.policyText = policyText;
        this.logs = logs;
        this.mismatches = new ConcurrentSkipListMap<>(Comparator.comparingInt(files::indexOf));
    }

    /**
     * Maps the first file that is a frame, before anything counts. What is wrong with frames and devices is left to the stream,
     * which says it.
     *
     * @param format what pictures are coded as
     * @param asOftenAsItTakes does what it is given
     */
    public void warmUp(
            Evener evener,
            List<Path> files,
            Policy policy,
            Tuning tuning,
            PictureFormat format,
            Consumer<Runnable> asOftenAsItTakes) {
        for (Path path : files) {
            try {
                FrameFile file = choice.of(FrameFile.open(path));
                try (FrameJob work = new FrameJob(Allocator.of(evener), tuning, format);
                        LoadedFrame frame = new LoadedFrame(file, format, evener)) {
                    frame.decode();
                    asOftenAsItTakes.accept(() -> {
                        // What the very first frame takes says nothing of later ones.
                        History history = warmUpFrames == 0 ? History.inMemory() : evener.history();
                        Consumer<FrameWatch.Picture> mapped = noted(path);
                        evener.submit(frame.job(work, settings), policy, history)
                                .join();
                        warmUpFrames++;
                        mapped.accept(new FrameWatch.Picture(
                                path, frame.layout(), settings, format.words(), frame.pixels(), 0));
                    });
                }
                return;
            } catch (FrameException e) {
                // Then the next file is the first frame.
            } catch (EvenerException | CompletionException e) {
                return;
            }
        }
    }

    @Override
    public Consumer<FrameWatch.Picture> mapping(Path source) {
        Consumer<FrameWatch.Picture> noted = noted(source);
        return verify && verified.add(source) ? noted.andThen(this::verify) : noted;
    }

    private Consumer<FrameWatch.Picture> noted(Path source) {
        JobLog log = logs.getOrDefault(source, UNRECORDED);
        long request = log.asked(policyText);
        return picture -> {
            log.done(request, () -> Digests.of(Output.pixels(picture.pixels(), picture.layout(), picture.words())));
        };
    }

    private void verify(FrameWatch.Picture picture) {
        ToneMapReference.Difference difference;
        long count = (long) picture.words() * picture.layout().words();
        try (ManagedBuffer.Scope scope = picture.pixels().read(picture.from(), count)) {
            // Read again, and by the host: devices may have expanded the file's code.
            FrameFile file = choice.of(FrameFile.open(picture.source()));
            if (file.size().bytes() > FrameLayout.PIECE_BYTES) {
                mismatches.put(picture.source(), picture.source() + ": not verified: has more than 2 GiB of pixels");
                return;
            }
            ByteBuffer frame = ByteBuffer.allocateDirect((int) file.coding().bytes(file.size()))
                    .order(ByteOrder.nativeOrder());
            file.decode(frame);
            FloatBuffer floats = colours(file, frame, picture);
            byte[] expected = ToneMapReference.map(floats, picture.layout(), picture.settings(), picture.words());
            difference = ToneMapReference.compare(expected, scope.ints(), picture.layout());
        } catch (FrameException e) {
            mismatches.put(picture.source(), "not verified: " + e.getMessage());
            return;
        }
        // A look may be steep: what is one code of 16 bits before it, may be one of 8 behind it.
        boolean steep = picture.settings().look() != null && picture.words() == 2;
        if (difference.largest() > (steep ? 257 : 1)) {
            mismatches.put(
                    picture.source(),
                    picture.source() + ": differs from the reference by up to " + difference.largest() + " codes, in "
                            + difference.differing() + " of "
                            + 3 * picture.layout().pixels() + " values");
        }
    }

    /** What is to be mapped of a frame: in the picture's size, without alpha. */
    private static FloatBuffer colours(FrameFile file, ByteBuffer frame, FrameWatch.Picture picture) {
        FrameLayout size = file.size();
        FrameLayout to = picture.layout();
        boolean wrap = picture.settings().wrap();
        FloatBuffer floats = FloatBuffer.allocate(size.floats());
        file.coding().expand(size, frame, floats);
        FloatBuffer resized = size.equals(to) ? floats : ResizeReference.resize(floats, size, to, wrap);
        if (!file.coding().hasAlpha()) {
            return resized;
        }
        FloatBuffer alpha = AlphaReference.of(frame.asFloatBuffer(), size);
        return AlphaReference.unassociated(
                resized, size.equals(to) ? alpha : ResizeReference.resize(alpha, size, to, 1, wrap), to);
    }

    /** Frames mapped before the first that counts. */
    public long warmUpFrames() {
        return warmUpFrames;
    }

    /** One line for each picture that is not what the reference says. */
    public List<String> mismatches() {
        return List.copyOf(mismatches.values());
    }
}
