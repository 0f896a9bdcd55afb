package dev.evener.spark;

import dev.evener.HostBuffer;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.spark.SparkStatusTracker;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.mapred.SparkHadoopMapRedUtil;
import org.apache.spark.util.SerializableConfiguration;
import scala.Option;
import scala.Tuple2;

/**
 * A folder that a job writes. Attempts of tasks write to folders of their own; Hadoop's committer, the one that is configured for the
 * file system, and Spark's coordinator let one attempt of each through, and everything appears at the end, with {@code _SUCCESS}. Or,
 * if {@link #incremental}, each file appears when it is whole.
 *
 * @param job names its attempts
 */
record Output(Broadcast<SerializableConfiguration> hadoop, String folder, boolean incremental, String job)
        implements Serializable {

    /** How long a failed job waits for its tasks to end, in all 10 s. */
    private static final int CANCEL_POLLS = 100;

    private static final long CANCEL_POLL_NANOS = 100_000_000;

    private static final String SUCCESS = "_SUCCESS";

    /** What runs the tasks, on the driver: they report each file that they wrote with true, and lines with false. */
    @FunctionalInterface
    interface Job {
        List<Tuple2<Boolean, String>> run(Output output) throws IOException;
    }

    /**
     * A path in full, as it is meant here: executors have folders of their own.
     *
     * @throws IOException if it is on this machine's disk, which executors on other machines do not have
     */
    static Path qualified(JavaSparkContext spark, String given) throws IOException {
        Path path = new Path(given);
        FileSystem files = path.getFileSystem(spark.hadoopConfiguration());
        String master = spark.sc().master();
        if (files.getUri().getScheme().equals("file")
                && !master.startsWith("local")
                && !spark.getConf().getBoolean(EvenerPlugin.SHARED_FILES, false)) {
            throw new IOException(given + ": is on this machine's disk, and executors of " + master
                    + " are elsewhere; name a file system" + " that all have, such as hdfs:, or set "
                    + EvenerPlugin.SHARED_FILES + "=true if all have this folder mounted");
        }
        return files.makeQualified(path);
    }

    /**
     * Runs a job that writes a folder, on the driver. A later attempt of the same YARN application takes what an earlier one completed
     * for its own, and begins anew what that left unfinished.
     *
     * @throws IOException if the folder is there, unless it is written incrementally, or cannot be written, or lacks what tasks wrote
     */
    static SparkFrames.Result run(JavaSparkContext spark, String folder, boolean incremental, Job tasks)
            throws IOException {
        Option<String> attempt = spark.sc().applicationAttemptId();
        String own = attempt.isEmpty() ? "" : spark.sc().applicationId() + "-" + attempt.get();
        return run(spark, own, folder, incremental, tasks);
    }

    /**
     * Likewise.
     *
     * @param own application and attempt, or empty where there is one attempt only: while it writes the name of a file, which is there at
     *     once, unlike content, since it may be killed at any moment
     */
    static SparkFrames.Result run(JavaSparkContext spark, String own, String folder, boolean incremental, Job tasks)
            throws IOException {
        Path path = qualified(spark, folder);
        String job = Long.toString(System.currentTimeMillis());
        Output output = new Output(configuration(spark), path.toString(), incremental, job);
        FileSystem files = output.files();
        List<String> earlier = earlier(files, new Path(path, SUCCESS), own);
        if (!earlier.isEmpty()) {
            return new SparkFrames.Result(Integer.parseInt(earlier.get(1)), earlier.subList(2, earlier.size()));
        }
        if (files.exists(path) && !(incremental && files.getFileStatus(path).isDirectory())) {
            PathFilter left = each ->
                    each.getName().startsWith("_") && isEarlier(each.getName().substring(1), own);
            if (own.isEmpty() || files.listStatus(path, left).length == 0) {
                throw new IOException(folder + ": is there already; choose another folder, or remove it");
            }
            files.delete(path, true);
        }
        TaskAttemptContext all = output.attempt(0, 0);
        PathOutputCommitter committer = output.committer(all);
        Path marker = new Path(path, "_" + own);
        try {
            if (incremental) {
                files.mkdirs(path);
            } else {
                if (!own.isEmpty()) {
                    files.create(marker, true).close();
                }
                committer.setupJob(all);
            }
            List<Tuple2<Boolean, String>> reported = tasks.run(output);
            if (!incremental) {
                committer.commitJob(all);
            }
            SparkFrames.Result done = checked(files, path, folder, reported);
            try (FSDataOutputStream out = files.create(new Path(path, SUCCESS), true)) {
                if (!own.isEmpty()) {
                    String lines = done.failures().stream()
                            .map(line -> line.replace('\n', ' ') + "\n")
                            .collect(Collectors.joining());
                    out.write((own + "\n" + done.written() + "\n" + lines).getBytes(StandardCharsets.UTF_8));
                }
            }
            files.delete(marker, false); // if there is one
            return done;
        } catch (Throwable e) { // Spark's exception is checked, and not declared
            if (!incremental) {
                committer.abortJob(all, JobStatus.State.FAILED);
                // Attempts that are being cancelled may write for a while, into folders that they make anew.
                SparkStatusTracker status = spark.sc().statusTracker();
                for (int i = 0;
                        i < CANCEL_POLLS
                                && Arrays.stream(status.getExecutorInfos())
                                        .anyMatch(each -> each.numRunningTasks() > 0);
                        i++) {
                    LockSupport.parkNanos(CANCEL_POLL_NANOS);
                }
                files.delete(path, true); // it was not there when this job began
            }
            throw e;
        }
    }

    /** The lines of a file that another attempt of this application left; none if there is no such file or it is another's. */
    private static List<String> earlier(FileSystem files, Path file, String own) throws IOException {
        if (own.isEmpty() || !files.exists(file)) {
            return List.of();
        }
        try (FSDataInputStream in = files.open(file)) {
            List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return !lines.isEmpty() && isEarlier(lines.get(0), own) ? lines : List.of();
        }
    }

    private static boolean isEarlier(String attempt, String own) {
        return !attempt.equals(own) && attempt.startsWith(own.substring(0, own.lastIndexOf('-') + 1));
    }

    /** A file system that only seems to be the same everywhere must not lose what was written. */
    private static SparkFrames.Result checked(
            FileSystem files, Path path, String folder, List<Tuple2<Boolean, String>> reported) throws IOException {
        List<String> wrote =
                reported.stream().filter(Tuple2::_1).map(Tuple2::_2).toList();
        Set<String> missing = new TreeSet<>(wrote);
        if (files.exists(path)) { // if nothing was written, a committer may have made none
            for (FileStatus each : files.listStatus(path)) {
                missing.remove(each.getPath().getName());
            }
        }
        if (!missing.isEmpty()) {
            throw new IOException(folder + ": of " + wrote.size() + " files that tasks wrote, " + missing.size()
                    + " are not there, such as " + missing.iterator().next()
                    + "; name a file system that all executors and the driver share");
        }
        return new SparkFrames.Result(
                wrote.size(),
                reported.stream().filter(each -> !each._1()).map(Tuple2::_2).toList());
    }

    /** A job that writes numbers into files {@code part-*}, which one behind the other are the result. */
    static TiledFile parts(JavaSparkContext spark, TiledFile like, String folder, Job job) throws IOException {
        run(spark, folder, false, job);
        return new TiledFile(folder, like.type(), like.blockElements());
    }

    /** Writes one part in a task. */
    Tuple2<Boolean, String> part(int number, HostBuffer data) throws Exception {
        return write((files, attempt) -> {
            String name = String.format(Locale.ROOT, "part-%05d", number);
            Path file = new Path(attempt, name);
            try (WritableByteChannel out = Channels.newChannel(files.create(file, true))) {
                for (ByteBuffer segment : data.segments()) {
                    out.write(segment); // a channel of a stream writes all
                }
            }
            return new Tuple2<>(true, name);
        });
    }

    /** Hadoop's settings, which come to an executor once: with each task they would cost more than a small one takes. */
    static Broadcast<SerializableConfiguration> configuration(JavaSparkContext spark) {
        return spark.broadcast(new SerializableConfiguration(spark.hadoopConfiguration()));
    }

    /** One attempt, in a task: the work leaves files in the folder that it is given. */
    <R> R write(Function2<FileSystem, Path, R> work) throws Exception {
        if (incremental) {
            return work.call(files(), new Path(folder));
        }
        TaskContext task = TaskContext.get();
        // Unlike the attempt's number, this one is no other stage's.
        TaskAttemptContext attempt = attempt(task.partitionId(), (int) (task.taskAttemptId() & Integer.MAX_VALUE));
        PathOutputCommitter committer = committer(attempt);
        committer.setupTask(attempt);
        try {
            R result = work.call(files(), committer.getWorkPath());
            SparkHadoopMapRedUtil.commitTask(
                    committer, attempt, attempt.getJobID().getId(), task.partitionId());
            return result;
        } catch (Exception | Error e) {
            try {
                committer.abortTask(attempt);
            } catch (IOException | RuntimeException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    private TaskAttemptContext attempt(int task, int number) {
        Configuration own = new Configuration(hadoop.value().value());
        own.setBoolean(FileOutputCommitter.SUCCESSFUL_JOB_OUTPUT_DIR_MARKER, false); // made here, after a look
        return new TaskAttemptContextImpl(own, new TaskAttemptID(job, 0, TaskType.MAP, task, number));
    }

    private PathOutputCommitter committer(TaskAttemptContext attempt) throws IOException {
        files(); // which settles check sums in this JVM
        return PathOutputCommitterFactory.createCommitter(new Path(folder), attempt);
    }

    private FileSystem files() throws IOException {
        FileSystem files = new Path(folder).getFileSystem(hadoop.value().value());
        files.setWriteChecksum(false); // file: would have a .crc beside each file, on the driver as on executors
        return files;
    }
}
