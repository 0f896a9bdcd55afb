package dev.evener.frames;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the names of frames say: which files of a folder are frames, in which order, and which numbers have none.
 * Stateless.
 */
public final class FrameNames {
    private static final Pattern DIGITS = Pattern.compile("0*(\\d+)");
    private static final Pattern NUMBERED = Pattern.compile("(.*?)(\\d{1,18})(\\D*)", Pattern.DOTALL);

    /** Natural order: digits count as the number that they are, so that {@code f2} comes before {@code f10}. */
    private static final Comparator<Path> NATURAL =
            Comparator.comparing(FrameNames::key).thenComparing(Comparator.naturalOrder());

    private FrameNames() {}

    /** A name in which each number begins with how long it is, which is before its digits. */
    private static String key(Path file) {
        return DIGITS.matcher(name(file))
                .replaceAll(number -> (char) ('0' + number.group(1).length()) + number.group(1));
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    /**
     * The frames of a folder in natural order of their names: all that {@linkplain FrameFile#isNamedSo are named so}
     * and are no folders. Which of them are no files, such as links to nothing, is found when they are opened.
     */
    public static List<Path> in(Path folder) throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.filter(file -> FrameFile.isNamedSo(name(file)) && !Files.isDirectory(file))
                    .sorted(NATURAL)
                    .toList();
        }
    }

    /** A file whose name has a number: its last one. */
    private record Numbered(@Nullable Path folder, String head, String digits, String tail) {
        static @Nullable Numbered of(Path file) {
            Matcher name = NUMBERED.matcher(name(file));
            return name.matches() ? new Numbered(file.getParent(), name.group(1), name.group(2), name.group(3)) : null;
        }

        long number() {
            return Long.parseLong(digits);
        }

        /** How far another of the same sequence is ahead; 0 if it is of none. */
        long to(@Nullable Numbered other) {
            boolean same = other != null
                    && Objects.equals(folder, other.folder)
                    && head.equals(other.head)
                    && tail.equals(other.tail);
            return same ? other.number() - number() : 0;
        }

        /** The file of that number, named alike. */
        Path numbered(long number) {
            String padded = digits.startsWith("0") ? String.format("%0" + digits.length() + "d", number) : "" + number;
            Path file = Path.of(head + padded + tail);
            return folder == null ? file : folder.resolve(file);
        }
    }

    /**
     * Where the numbers of a sequence, which are files of one folder whose names differ in their last number alone,
     * do not go on in its least step.
     *
     * @param at place of the file that comes next in the list
     * @param before the file before that
     * @param count of files that are missing between both; 0 if numbers go back
     * @param step from number to number
     */
    public record Gap(int at, Path before, long count, long step) {
        /** The files that are missing. */
        public Stream<Path> missing() {
            Numbered from = Objects.requireNonNull(Numbered.of(before));
            return LongStream.rangeClosed(1, count).mapToObj(i -> from.numbered(from.number() + i * step));
        }
    }

    /** All gaps between neighbours of a list. */
    public static List<Gap> gaps(List<Path> files) {
        List<@Nullable Numbered> numbered = new ArrayList<>();
        files.forEach(file -> numbered.add(Numbered.of(file)));
        long[] steps = new long[files.size()]; // to each from the one before
        for (int i = 1; i < steps.length; i++) {
            Numbered before = numbered.get(i - 1);
            steps[i] = before == null ? 0 : before.to(numbered.get(i));
        }
        List<Gap> gaps = new ArrayList<>();
        for (int first = 1, end = 1; first < steps.length; first = Math.max(end, first + 1)) {
            long least = Long.MAX_VALUE;
            for (end = first; end < steps.length && steps[end] != 0; end++) {
                least = steps[end] < 0 ? least : Math.min(least, steps[end]);
            }
            for (int i = first; i < end; i++) {
                if (steps[i] < 0 || steps[i] / 2 >= least) {
                    gaps.add(new Gap(i, files.get(i - 1), Math.max(0, steps[i] / least - 1), least));
                }
            }
        }
        return gaps;
    }
}
