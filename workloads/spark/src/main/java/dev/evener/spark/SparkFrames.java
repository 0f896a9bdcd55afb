package dev.evener.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import dev.evener.EvenerException;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameFile;
import dev.evener.frames.FrameStore;
import dev.evener.frames.FrameStream;
import dev.evener.frames.PictureFormat;
import dev.evener.frames.StreamReport;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import scala.Tuple2;

/**
 * Tone-maps frames of any Hadoop file system to PNG files, byte for byte those of {@code evener tonemap}. Each task is a stream of
 * frames through the executor's devices.
 *
 * <pre>{@code
 * SparkFrames.Result result = SparkFrames.of(spark).operator(Operator.HABLE).tonemap("hdfs:///in", "hdfs:///out");
 * result.failures().forEach(System.err::println);
 * }</pre>
 *
 * <p>A frame that is damaged is one line of the result, and the others are not lost. A task fails, and Spark repeats it, if pictures
 * cannot be written, frames cannot be read (which is one line after the last attempt), or no device works.
 */
public final class SparkFrames {
    /** Frames of a partition, at most: what a lost executor loses. */
    private static final int MOST_FRAMES = 50;

    private final JavaSparkContext spark;
    private ToneMapSettings settings = ToneMapSettings.of(Operator.REINHARD_EXTENDED);
    private int partitions;
    private boolean incremental;

    private SparkFrames(JavaSparkContext spark) {
        this.spark = spark;
    }

    /** Frames in this application. */
    public static SparkFrames of(JavaSparkContext spark) {
        return new SparkFrames(spark);
    }

    /** The tone curve with its defaults; {@code REINHARD_EXTENDED} if it is not said. */
    public SparkFrames operator(Operator operator) {
        return settings(ToneMapSettings.of(operator));
    }

    /** What frames are tone-mapped with. */
    public SparkFrames settings(ToneMapSettings chosen) {
        this.settings = chosen;
        return this;
    }

    /** Tasks, at least 1; by default four for each core of the cluster, and more if there are more than 50 frames for each. */
    public SparkFrames partitions(int count) {
        if (count < 1) {
            throw new IllegalArgumentException(count + " partitions; there must be 1 or more");
        }
        this.partitions = count;
        return this;
    }

    /**
     * Has each picture appear when it is finished, in a folder that may be there, and stay whatever comes. By default nothing appears
     * before the end, and nothing at all if the job fails.
     */
    public SparkFrames incremental() {
        this.incremental = true;
        return this;
    }

    /**
     * What became of the frames.
     *
     * @param written pictures
     * @param failures a line for each frame that gave none
     */
    @DefaultSerializer(JavaSerializer.class)
    public record Result(int written, List<String> failures) implements Serializable {
        /** Keeps a copy. */
        public Result {
            failures = List.copyOf(failures);
        }
    }

    /**
     * Maps all frames of a folder.
     *
     * @param in a folder of files whose names end as {@link dev.evener.frames.FrameFile#EXTENSIONS} says, one file, or a pattern such as
     *     {@code s3a://bucket/shot?.hdr}
     * @param out the folder for the pictures, not there yet
     * @throws IOException if there is no frame, or the folder is there or cannot be written
     *     (if a task failed more often than it may, {@code SparkException} comes, which is checked and not declared)
     */
    public Result tonemap(String in, String out) throws IOException {
        List<String> failures = new ArrayList<>();
        List<Frame> frames = apart(list(in), failures);
        int tasks = partitions > 0
                ? partitions
                : Math.max(4 * spark.defaultParallelism(), (frames.size() + MOST_FRAMES - 1) / MOST_FRAMES);
        Result done = Output.run(
                spark,
                out,
                incremental,
                output -> spark.parallelize(frames, Math.min(tasks, frames.size()))
                        .mapPartitions(new Task(output, settings))
                        .collect());
        failures.addAll(done.failures());
        return new Result(done.written(), failures);
    }

    /** A file. */
    @DefaultSerializer(JavaSerializer.class)
    record Frame(String uri, long bytes) implements Serializable {
        /** What messages call it. */
        java.nio.file.Path name() {
            return java.nio.file.Path.of(URI.create(uri).getPath());
        }
    }

    /**
     * The frames of a folder or pattern in order of their names.
     *
     * @throws IOException if there is none
     */
    private List<Frame> list(String in) throws IOException {
        Path path = Output.qualified(spark, in);
        FileSystem files = path.getFileSystem(spark.hadoopConfiguration());
        FileStatus[] found = files.globStatus(path);
        if (found == null || found.length == 0) {
            throw new IOException(in + ": there is no such file or folder");
        }
        List<Frame> frames = new ArrayList<>();
        for (FileStatus each : found) {
            FileStatus[] own = {each};
            if (each.isDirectory()) {
                own = files.listStatus(each.getPath(), file -> FrameFile.isNamedSo(file.getName()));
                Arrays.sort(own);
            }
            Stream.of(own)
                    .filter(FileStatus::isFile)
                    .forEach(file -> frames.add(new Frame(file.getPath().toUri().toString(), file.getLen())));
        }
        if (frames.isEmpty()) {
            throw new IOException(in + ": " + FrameFile.NONE_IN_FOLDER);
        }
        return frames;
    }

    /** Without those whose pictures would have another one's name. */
    private static List<Frame> apart(List<Frame> frames, List<String> failures) {
        Map<java.nio.file.Path, Frame> taken = new LinkedHashMap<>();
        for (Frame frame : frames) {
            Frame first = taken.putIfAbsent(PictureFormat.PNG.nameOf(frame.name()), frame);
            if (first != null) {
                failures.add(frame.name() + ": its picture would overwrite that of " + first.name()
                        + "; rename one or write it to another folder");
            }
        }
        return List.copyOf(taken.values());
    }

    /** The work of a task. */
    private record Task(Output output, ToneMapSettings settings)
            implements FlatMapFunction<Iterator<Frame>, Tuple2<Boolean, String>> {
        @Override
        public Iterator<Tuple2<Boolean, String>> call(Iterator<Frame> frames) throws Exception {
            List<Frame> own = new ArrayList<>();
            frames.forEachRemaining(own::add);
            return output.write((files, folder) -> map(own, files, folder)).iterator();
        }

        private List<Tuple2<Boolean, String>> map(List<Frame> batch, FileSystem files, Path folder) throws Exception {
            Store store = new Store(batch, output, files, folder);
            int cpus = Math.max(1, TaskContext.get().cpus());
            int atOnce = Math.max(1, Runtime.getRuntime().availableProcessors() / cpus);
            StreamReport report;
            try (FrameStream stream = FrameStream.of(
                            batch.stream().map(Frame::name).toList(), EvenerPlugin.evener(), settings)
                    .store(store)
                    .decoders(Math.max(1, cpus / 2))
                    .budget(Runtime.getRuntime().maxMemory() / 4 / atOnce)
                    .into(java.nio.file.Path.of(output.folder()))) {
                TaskJobs.onKill(stream::close);
                report = stream.run();
            }
            List<Tuple2<Boolean, String>> reported = new ArrayList<>();
            report.written()
                    .forEach(picture -> reported.add(
                            new Tuple2<>(true, picture.getFileName().toString())));
            for (StreamReport.Failure failure : report.failures()) {
                FrameException why = failure.cause();
                boolean unread = why.getCause() instanceof IOException;
                if (why.getCause() instanceof EvenerException || store.failedToWrite || (unread && mayTryAgain())) {
                    throw why;
                }
                reported.add(new Tuple2<>(false, failure.message()));
            }
            return reported;
        }

        /** In local[n] there is one attempt. */
        private static boolean mayTryAgain() {
            SparkEnv env = SparkEnv.get();
            return !env.executorId().equals("driver")
                    && TaskContext.get().attemptNumber() + 1 < env.conf().getInt("spark.task.maxFailures", 4);
        }
    }

    /** The frames of a task on a Hadoop file system, and the folder for its pictures. Any thread. */
    private static final class Store implements FrameStore {
        private final Map<java.nio.file.Path, Frame> frames = new LinkedHashMap<>();
        private final Output output;
        private final FileSystem out;
        private final Path folder;
        private final String attempt = "." + TaskContext.get().taskAttemptId() + ".part";
        private volatile boolean failedToWrite; // which is no fault of a frame

        /** Of one task. If the output is incremental, others see the folder, so that pictures get their names when they are whole. */
        Store(List<Frame> batch, Output output, FileSystem out, Path folder) {
            batch.forEach(frame -> frames.put(frame.name(), frame));
            this.output = output;
            this.out = out;
            this.folder = folder;
        }

        private Configuration hadoop() {
            return output.hadoop().value().value();
        }

        @Override
        public FrameFile open(java.nio.file.Path name) throws FrameException {
            Frame frame = Objects.requireNonNull(frames.get(name));
            Path path = new Path(URI.create(frame.uri));
            return FrameFile.open(name, frame.bytes, offset -> {
                FSDataInputStream in = path.getFileSystem(hadoop()).open(path);
                try {
                    in.seek(offset);
                    return Channels.newChannel(in);
                } catch (IOException e) {
                    in.close();
                    throw e;
                }
            });
        }

        @Override
        public void write(java.nio.file.Path picture, Content content) throws IOException {
            String name = picture.getFileName().toString();
            Path target = new Path(folder, name);
            Path part = output.incremental() ? new Path(folder, "." + name + attempt) : target;
            try {
                try (WritableByteChannel channel = Channels.newChannel(out.create(part, true))) {
                    content.writeTo(channel);
                }
                if (output.incremental()) {
                    FileContext.getFileContext(out.getUri(), hadoop()).rename(part, target, Options.Rename.OVERWRITE);
                }
            } catch (Throwable e) {
                failedToWrite = true;
                out.delete(part, false);
                throw e;
            }
        }

        @Override
        public void makeFolder(java.nio.file.Path made) {
            // The committer's, or the driver's.
        }
    }
}
