package dev.evener.spark;

import dev.evener.HostBuffer;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.spark.SparkExecutorInfo;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.mapred.SparkHadoopMapRedUtil;
import org.apache.spark.util.SerializableConfiguration;

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

    /** What runs the tasks, on the driver. */
    @FunctionalInterface
    interface Job<R> {
        R run(Output output) throws IOException;
    }

    /**
     * Runs a job that writes a folder, on the driver.
     *
     * @throws IOException if the folder is there, unless it is written incrementally, or cannot be written
     */
    static <R> R run(JavaSparkContext spark, String folder, boolean incremental, Job<R> tasks) throws IOException {
        String job = Long.toString(System.currentTimeMillis());
        Output output = new Output(configuration(spark), folder, incremental, job);
        FileSystem files = output.files();
        Path path = new Path(folder);
        if (files.exists(path) && !(incremental && files.getFileStatus(path).isDirectory())) {
            throw new IOException(folder + ": is there already; choose another folder, or remove it");
        }
        if (incremental) {
            files.mkdirs(path);
            R result = tasks.run(output);
            files.create(new Path(path, "_SUCCESS"), true).close();
            return result;
        }
        TaskAttemptContext all = output.attempt(0, 0);
        PathOutputCommitter committer = output.committer(all);
        committer.setupJob(all);
        try {
            R result = tasks.run(output);
            committer.commitJob(all);
            return result;
        } catch (Throwable e) { // Spark's exception is checked, and not declared
            committer.abortJob(all, JobStatus.State.FAILED);
            // Attempts that are being cancelled may write for a while, into folders that they make anew.
            for (int i = 0; i < CANCEL_POLLS && tasks(spark) > 0; i++) {
                LockSupport.parkNanos(CANCEL_POLL_NANOS);
            }
            files.delete(path, true); // it was not there when this job began
            throw e;
        }
    }

    /** A job that writes numbers into files {@code part-*}, which one behind the other are the result. */
    static TiledFile parts(JavaSparkContext spark, TiledFile like, String folder, Job<?> job) throws IOException {
        run(spark, folder, false, job::run);
        return new TiledFile(folder, like.type(), like.blockElements());
    }

    /** Writes one part in a task; returns its bytes. */
    long part(int number, HostBuffer data) throws Exception {
        return write((files, attempt) -> {
            Path file = new Path(attempt, String.format(Locale.ROOT, "part-%05d", number));
            try (WritableByteChannel out = Channels.newChannel(files.create(file, true))) {
                for (ByteBuffer segment : data.segments()) {
                    while (segment.hasRemaining()) {
                        out.write(segment);
                    }
                }
            }
            return data.byteSize();
        });
    }

    /** Hadoop's settings, which come to an executor once: with each task they would cost more than a small one takes. */
    static Broadcast<SerializableConfiguration> configuration(JavaSparkContext spark) {
        return spark.broadcast(new SerializableConfiguration(spark.hadoopConfiguration()));
    }

    private static int tasks(JavaSparkContext spark) {
        return Arrays.stream(spark.sc().statusTracker().getExecutorInfos())
                .mapToInt(SparkExecutorInfo::numRunningTasks)
                .sum();
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
        return new TaskAttemptContextImpl(
                new Configuration(hadoop.value().value()), new TaskAttemptID(job, 0, TaskType.MAP, task, number));
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
