package dev.evener.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameFile;
import dev.evener.frames.FrameStore;
import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;

/** The frames of a task on a Hadoop file system, and the folder for its pictures. Any thread. */
final class HadoopFrames implements FrameStore {
    private final Map<Path, Frame> frames = new LinkedHashMap<>();
    private final Output output;
    private final FileSystem out;
    private final org.apache.hadoop.fs.Path folder;
    private final String attempt = "." + TaskContext.get().taskAttemptId() + ".part";
    private volatile boolean failedToWrite;

    /** Of one task. If the output is incremental, others see the folder, so that pictures get their names when they are whole. */
    HadoopFrames(List<Frame> batch, Output output, FileSystem out, org.apache.hadoop.fs.Path folder) {
        batch.forEach(frame -> frames.put(frame.name(), frame));
        this.output = output;
        this.out = out;
        this.folder = folder;
    }

    /** A file. */
    @DefaultSerializer(JavaSerializer.class)
    record Frame(String uri, long bytes) implements Serializable {
        /** What messages call it. */
        Path name() {
            return Path.of(URI.create(uri).getPath());
        }
    }

    /**
     * The frames of a folder or pattern in order of their names.
     *
     * @throws IOException if there is none
     */
    static List<Frame> list(JavaSparkContext spark, String in) throws IOException {
        org.apache.hadoop.fs.Path path = Output.qualified(spark, in);
        FileSystem files = path.getFileSystem(spark.hadoopConfiguration());
        FileStatus[] found = files.globStatus(path);
        if (found == null || found.length == 0) {
            throw new IOException(in + ": there is no such file or folder");
        }
        List<Frame> frames = new ArrayList<>();
        for (FileStatus each : found) {
            FileStatus[] own = each.isDirectory() ? files.listStatus(each.getPath()) : new FileStatus[] {each};
            Arrays.sort(own);
            for (FileStatus file : own) {
                if (file.isFile()
                        && (!each.isDirectory()
                                || FrameFile.isNamedSo(file.getPath().getName()))) {
                    frames.add(new Frame(file.getPath().toUri().toString(), file.getLen()));
                }
            }
        }
        if (frames.isEmpty()) {
            throw new IOException(in + ": " + FrameFile.NONE_IN_FOLDER);
        }
        return frames;
    }

    private Configuration hadoop() {
        return output.hadoop().value().value();
    }

    List<Path> names() {
        return List.copyOf(frames.keySet());
    }

    /** Whether a picture could not be written, which is no fault of a frame. */
    boolean failedToWrite() {
        return failedToWrite;
    }

    @Override
    public FrameFile open(Path name) throws FrameException {
        Frame frame = Objects.requireNonNull(frames.get(name));
        org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(URI.create(frame.uri));
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
    public void write(Path picture, Content content) throws IOException {
        String name = picture.getFileName().toString();
        org.apache.hadoop.fs.Path target = new org.apache.hadoop.fs.Path(folder, name);
        org.apache.hadoop.fs.Path part =
                output.incremental() ? new org.apache.hadoop.fs.Path(folder, "." + name + attempt) : target;
        boolean whole = false;
        try {
            try (WritableByteChannel channel = Channels.newChannel(out.create(part, true))) {
                content.writeTo(channel);
            }
            if (output.incremental()) {
                FileContext.getFileContext(out.getUri(), hadoop()).rename(part, target, Options.Rename.OVERWRITE);
            }
            whole = true;
        } finally {
            if (!whole) {
                failedToWrite = true;
                out.delete(part, false);
            }
        }
    }

    @Override
    public void makeFolder(Path made) {
        // The committer's, or the driver's.
    }
}
