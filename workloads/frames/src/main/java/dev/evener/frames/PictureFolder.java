package dev.evener.frames;

import dev.evener.frames.StreamReport.Step;
import dev.evener.kernels.pipeline.StepClock;
import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A file for each picture in one folder, with the input's name and the format's extension. Two inputs for one name are a mistake that
 * only the caller can resolve; numbering them would give names that change with the list, so the second is refused.
 */
final class PictureFolder implements PictureTarget {
    private static final boolean CASE_MATTERS =
            !System.getProperty("os.name", "").toLowerCase(Locale.ROOT).matches("(windows|mac).*");

    private final FrameStore store;
    private final Path folder;
    private final Map<Integer, FrameException> refused = new HashMap<>();
    private final Path[] files; // null at an input that was refused

    /**
     * Of a stream's pictures.
     *
     * @param names what each is called
     */
    PictureFolder(FrameStreamBuilder options, Path folder, List<Path> names) {
        this.store = options.store;
        this.folder = folder;
        this.files = names(options.inputs, names);
    }

    @Override
    public Map<Integer, FrameException> refused() {
        return refused;
    }

    @Override
    public boolean isInOrder() {
        return false;
    }

    @Override
    public void open() throws FrameException {
        try {
            store.makeFolder(folder);
        } catch (FileAlreadyExistsException e) {
            throw new FrameException(folder, "is a file, not a folder for pictures", e);
        } catch (IOException e) {
            throw new FrameException(folder, "cannot be made a folder for pictures: " + FrameException.reason(e), e);
        }
    }

    @Override
    public Path write(int input, FrameLayout size, FrameJob work, StepClock<Step> clock)
            throws FrameException, InterruptedException {
        work.write(files[input], store, clock);
        return files[input];
    }

    @Override
    public void close() throws IOException {
        store.sync(folder);
    }

    private Path[] names(List<Path> inputs, List<Path> names) {
        Set<Object> sources = new HashSet<>();
        inputs.forEach(input -> sources.add(identity(input)));
        Map<Object, Path> taken = new HashMap<>();
        Path[] outputs = new Path[inputs.size()];
        for (int i = 0; i < outputs.length; i++) {
            Path input = inputs.get(i);
            Path output = folder.resolve(names.get(i));
            Object identity = identity(output);
            Path first = taken.putIfAbsent(
                    CASE_MATTERS ? identity : identity.toString().toLowerCase(Locale.ROOT), input);
            if (first != null) {
                refused.put(
                        i,
                        new FrameException(
                                input,
                                "its picture would overwrite " + output.getFileName() + " of " + first
                                        + "; rename one or write it to another folder"));
            } else if (sources.contains(identity)) {
                refused.put(
                        i,
                        new FrameException(input, "its picture " + output + " is itself an input; use another folder"));
            } else {
                outputs[i] = output;
            }
        }
        return outputs;
    }

    /** A file that cannot be asked is refused when it is read or written; a device is nobody's alone. */
    private Object identity(Path file) {
        try {
            return Objects.requireNonNullElseGet(store.identity(file), Object::new);
        } catch (IOException e) {
            return file;
        }
    }
}
