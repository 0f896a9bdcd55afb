package dev.evener.spark;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/**
 * Files of this machine, as {@code scripted:} ones, with something that happens once in all processes when a file is opened:
 * {@code test.at} is a part of its name, {@code test.marker} a file that says that it happened, {@code test.what} either {@code halt} or
 * {@code sleep}. Every opening takes {@code test.delay} milliseconds.
 */
public final class ScriptedFiles extends RawLocalFileSystem {
    /** The configuration's prefix in that of Spark. */
    static final String PREFIX = "spark.hadoop.";

    /** As Hadoop makes one. */
    public ScriptedFiles() {}

    @Override
    public URI getUri() {
        return URI.create("scripted:///");
    }

    @Override
    public String getScheme() {
        return "scripted";
    }

    @Override
    public FSDataInputStream open(Path file, int bufferSize) throws IOException {
        try {
            Thread.sleep(getConf().getInt("test.delay", 0));
            if (file.getName().contains(getConf().get("test.at", "/"))) {
                once();
            }
        } catch (InterruptedException e) {
            throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        }
        return super.open(file, bufferSize);
    }

    /** As on a cluster whose nodes hold parts of files. */
    @Override
    public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length) {
        return new BlockLocation[] {
            new BlockLocation(new String[] {"127.0.0.2:1"}, new String[] {"127.0.0.2"}, start, length)
        };
    }

    private void once() throws IOException, InterruptedException {
        try {
            Files.createFile(java.nio.file.Path.of(getConf().get("test.marker")));
        } catch (FileAlreadyExistsException e) {
            return;
        }
        if (getConf().get("test.what").equals("halt")) {
            Runtime.getRuntime().halt(9);
        }
        Thread.sleep(600_000);
    }
}
