package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A file for each picture in one folder, with the input's name and the format's extension. Two inputs for one name are a mistake that
 * only the caller can resolve; numbering them would give names that change with the list, so the second is refused.
 */
final class PictureFolder implements PictureTarget {
    private static final boolean CASE_MATTERS =
            !System.getProperty("os.name", "").toLowerCase(Locale.ROOT).matches("(windows|mac).*");

    private final FrameStore store;
    private final Path folder;
    private final Path[] files; // null at an input that was refused

    PictureFolder(FrameStreamBuilder options, Path folder, BiConsumer<Integer, FrameException> failed) {
        this.store = options.store;
        this.folder = folder;
        this.files = names(options.inputs, folder, "." + options.format.extension(), failed);
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
    public Path write(int input, FrameLayout size, FrameJob work) throws FrameException, InterruptedException {
        work.write(files[input], store);
        return files[input];
    }

    private static Path[] names(
            List<Path> inputs, Path folder, String extension, BiConsumer<Integer, FrameException> failures) {
        Set<Path> sources = new HashSet<>();
        inputs.forEach(input -> sources.add(input.toAbsolutePath().normalize()));
        Map<String, Path> taken = new HashMap<>();
        Path[] outputs = new Path[inputs.size()];
        for (int i = 0; i < outputs.length; i++) {
            Path input = inputs.get(i);
            Path picture = pictureName(input, extension);
            String name = picture.toString();
            Path output = folder.resolve(picture);
            Path first = taken.putIfAbsent(CASE_MATTERS ? name : name.toLowerCase(Locale.ROOT), input);
            if (first != null) {
                failures.accept(
                        i,
                        new FrameException(
                                input,
                                "its picture would overwrite " + name + " of " + first
                                        + "; rename one or write it to another folder"));
            } else if (sources.contains(output.toAbsolutePath().normalize())) {
                failures.accept(
                        i,
                        new FrameException(input, "its picture " + output + " is itself an input; use another folder"));
            } else {
                outputs[i] = output;
            }
        }
        return outputs;
    }

    private static Path pictureName(Path input, String extension) {
        Path last = input.getFileName();
        String name = last == null ? "frame" : last.toString();
        try {
            return Path.of(stem(name) + extension);
        } catch (InvalidPathException e) {
            // A letter that the locale does not have, as é in the C locale, has no text that leads back to it; a URI
            // has its bytes.
            String uri = input.toUri().toString();
            return Path.of(URI.create(stem(uri) + extension)).getFileName();
        }
    }

    private static String stem(String name) {
        int dot = name.lastIndexOf('.');
        return dot > 0 ? name.substring(0, dot) : name;
    }
}
