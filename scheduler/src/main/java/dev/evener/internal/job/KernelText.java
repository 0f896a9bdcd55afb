package dev.evener.internal.job;

import dev.evener.Access;
import dev.evener.EvenerException;
import dev.evener.KernelSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the text of a kernel tells of how it sees its job: no compiler, which takes what it does not recognise for nothing. So it may
 * miss what macros hide, and never takes a kernel that sees its chunk for another.
 *
 * @param ofGroups whether the text asks for anything but the index of a work-item
 * @param compared parameters with which the index along the dimension that is cut is compared
 * @param indexed parameters that are indexed with it
 */
record KernelText(boolean ofGroups, Set<Integer> compared, Set<Integer> indexed) {
    private static final Pattern COMMENT = Pattern.compile("//[^\\n]*|/\\*(?s:.*?)\\*/");

    private static final Pattern OF_GROUP =
            Pattern.compile("\\bget_(global_size|global_offset|group_id|num_groups|local_id|local_size)\\b");

    private static final Pattern PARAMETER = Pattern.compile("(\\w+)\\s*(?:\\[\\s*\\])?\\s*$");

    /** Those read before, of which there are mostly few: jobs are built again and again. */
    private static final Map<Key, KernelText> READ = new ConcurrentHashMap<>();

    private static final int MOST = 4096;

    private record Key(String digest, String kernel, int along) {}

    /**
     * Whether kernels see their job, where nobody says so: if an access needs it, or if none was written for Evener, that is, asks for
     * its chunk, has a Java form or a variant for a class of devices, unless they cannot tell the difference, and do with less memory.
     *
     * @param written whether one has such a variant
     * @param along the dimension that is cut
     * @param said whether they do, if somebody has said so
     * @param refused makes the exception if a kernel that is taken to see its chunk shows that it does not
     */
    static boolean seeJob(
            List<JobSpec.Phase> phases,
            boolean written,
            int along,
            @Nullable Boolean said,
            Function<String, EvenerException> refused) {
        if (said != null) {
            return said;
        }
        if (phases.stream().anyMatch(KernelText::hasParts)) {
            return true; // which no chunk could be given
        }
        boolean sees = !written;
        for (JobSpec.Phase phase : phases) {
            sees &= !asks(phase) && phase.source() != null && phase.jvm() == null;
        }
        boolean tells = false;
        boolean shows = false;
        for (JobSpec.Phase phase : phases) {
            // A text is read where something depends on it: that takes longer than all else that is checked of a job.
            if (phase.source() == null || asks(phase)) {
                continue;
            }
            for (JobSpec.Pass pass : phase.passes()) {
                KernelText text = of(phase.source(), pass.kernel(), along);
                List<Argument> arguments = phase.arguments().subList(pass.firstArgument(), pass.endArgument());
                tells |= text.ofGroups || arguments.stream().anyMatch(KernelText::tells);
                shows |= text.needsJob(arguments);
            }
        }
        if (shows && !sees) {
            throw refused.apply(
                    "a kernel takes get_global_id(" + along + ") for an index in the job: it compares that with a"
                            + " scalar, or indexes a whole buffer with it. Say jobView(), in which a Java form has all of each buffer, or"
                            + " chunkView() if it means an index in the chunk");
        }
        return sees && tells;
    }

    private static boolean asks(JobSpec.Phase phase) {
        return phase.arguments().stream().anyMatch(KernelText::isOfChunk);
    }

    private static boolean isOfChunk(Argument argument) {
        return argument instanceof Argument.ChunkStart
                || argument instanceof Argument.ChunkUnits
                || argument instanceof Argument.ViewStart;
    }

    /** Whether a buffer has parts that no chunk could be given. */
    private static boolean hasParts(JobSpec.Phase phase) {
        return phase.arguments().stream()
                .anyMatch(a -> a instanceof Argument.Buffer b && b.access() instanceof Access.Parts);
    }

    /** Whether a kernel with this argument may have to do with more of its job than a work-item's own elements. */
    private static boolean tells(Argument argument) {
        return (argument instanceof Argument.Scalar s && (s.value() instanceof Integer || s.value() instanceof Long))
                || argument instanceof Argument.Local
                || argument instanceof Argument.Value
                || (argument instanceof Argument.Buffer b
                        && (b.access() instanceof Access.Whole || b.access() instanceof Access.Halo));
    }

    /**
     * Whether the kernel compares its index with a number that it is given, or finds with it its place in a buffer of which it sees all. In
     * the chunk's view both are mistakes, since that index counts from the chunk's start.
     */
    private boolean needsJob(List<Argument> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            Argument each = arguments.get(i);
            if ((each instanceof Argument.Scalar && compared.contains(i))
                    || (each instanceof Argument.Buffer b
                            && b.access() instanceof Access.Whole
                            && !b.written()
                            && indexed.contains(i))) {
                return true;
            }
        }
        return false;
    }

    private static KernelText of(KernelSource source, String kernel, int along) {
        if (READ.size() > MOST) {
            READ.clear();
        }
        return READ.computeIfAbsent(new Key(source.digest(), kernel, along), key -> read(source.text(), kernel, along));
    }

    private static KernelText read(String source, String kernel, int along) {
        String text = COMMENT.matcher(source).replaceAll(" ");
        boolean ofGroups = OF_GROUP.matcher(text).find();
        Set<Integer> compared = new HashSet<>();
        Set<Integer> indexed = new HashSet<>();
        Matcher head = Pattern.compile("\\b(?:__)?kernel\\b[^;{}]*?\\b" + Pattern.quote(kernel) + "\\s*\\(")
                .matcher(text);
        int open = head.find() ? head.end() : -1;
        int close = open < 0 ? -1 : closing(text, open, '(', ')');
        int begin = close < 0 ? -1 : text.indexOf('{', close);
        int end = begin < 0 ? -1 : closing(text, begin + 1, '{', '}');
        if (end >= 0) {
            String body = text.substring(begin, end);
            String index = indices(body, along);
            String[] parameters = text.substring(open, close).split(",", -1);
            for (int i = 0; i < parameters.length; i++) {
                Matcher name = PARAMETER.matcher(parameters[i]);
                if (name.find() && compares(body, index, name.group(1))) {
                    compared.add(i);
                } else if (name.reset().find()
                        && Pattern.compile("\\b" + name.group(1) + "\\s*\\[\\s*" + index + "\\s*\\]")
                                .matcher(body)
                                .find()) {
                    indexed.add(i);
                }
            }
        }
        return new KernelText(ofGroups, compared, indexed);
    }

    /** What stands for the index along a dimension: the call, and variables that have its value and are at most added to. */
    private static String indices(String body, int along) {
        String call = "get_global_id\\s*\\(\\s*" + along + "\\s*\\)";
        StringJoiner all = new StringJoiner("|", "(?:", ")").add(call);
        String cast = "(?:\\(\\s*\\w+(?:\\s+\\w+)?\\s*\\)\\s*)?";
        Matcher assigned =
                Pattern.compile("\\b(\\w+)\\s*=\\s*" + cast + call + "\\s*[;,]").matcher(body);
        while (assigned.find()) {
            String name = "\\b" + assigned.group(1) + "\\b";
            Matcher any =
                    Pattern.compile(name + "\\s*(?:[-*/%&|^]|<<|>>)?=(?!=)").matcher(body);
            if (any.find() && !any.find()) {
                all.add(name);
            }
        }
        return all.toString();
    }

    private static boolean compares(String body, String index, String name) {
        String number = "\\(*\\s*(?:\\(\\s*\\w+\\s*\\)\\s*)?\\b" + name + "\\b(?!\\s*[*/%\\[])";
        String either = index + "\\s*\\)*\\s*[<>]=?(?![<>])\\s*" + number + "|\\b" + name
                + "\\s*\\)*\\s*[<>]=?(?![<>])\\s*\\(*\\s*" + index;
        return Pattern.compile(either).matcher(body).find();
    }

    private static int closing(String text, int from, char open, char close) {
        int depth = 1;
        for (int at = from; at < text.length(); at++) {
            char c = text.charAt(at);
            depth += c == open ? 1 : c == close ? -1 : 0;
            if (depth == 0) {
                return at;
            }
        }
        return -1;
    }
}
