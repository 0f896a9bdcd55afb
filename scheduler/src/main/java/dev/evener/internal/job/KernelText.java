package dev.evener.internal.job;

import dev.evener.Access;
import dev.evener.EvenerException;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.internal.source.SourceNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the text of a kernel tells of how it sees its job: no compiler, so it proves little, and what it does not recognise proves nothing. A
 * kernel sees its chunk by itself only if it is proven that it cannot tell.
 *
 * @param ofElements bytes from one index to the next in each parameter that is an array, or 0 for one that the kernel does not use,
 *     if it is proven that the kernel's index stands only in subscripts of these; else null
 * @param compared parameters with which the index along the dimension that is cut is compared
 * @param indexed parameters that are indexed with it
 */
public record KernelText(@Nullable Map<Integer, Long> ofElements, Set<Integer> compared, Set<Integer> indexed) {
    /** What depends on groups, or asks for more than the index. */
    private static final Pattern OF_GROUP =
            Pattern.compile("\\b(?:(?:__)?local|barrier|static|asm|goto|(?:async_)?work_group_\\w*"
                    + "|sub_group_\\w*|get_(?!global_id\\b)\\w*)\\b");

    private static final Pattern LOCAL = Pattern.compile("\\b(?:__)?local\\b");
    private static final Pattern HEAD = Pattern.compile("\\b(?:__)?kernel\\b[^;{}()]*?\\b(\\w+)\\s*\\(");

    private static final Pattern PARAMETER = Pattern.compile("(\\w+)\\s*(?:\\[\\s*\\])?\\s*$");

    /** A pointer to numbers of the language. */
    private static final Pattern ARRAY =
            Pattern.compile("\\s*(?:(?:__)?(?:global|constant)|const|restrict|__restrict|volatile|\\s)*"
                    + "\\b(?:(u?char)|(u?short|half)|(u?int|float)|(u?long|double))(2|3|4|8|16)?\\b"
                    + "(?:\\s|(?:__)?global\\b|const\\b)*\\*(?:\\s|const\\b|restrict\\b|__restrict\\b)*(\\w+)\\s*");

    /** What cannot name anything: a macro that stands for it changes no name. */
    private static final Pattern NUMBERS = Pattern.compile("(?:\\.?\\d[\\w.]*|[^\\w#])*");

    private static final String INTEGER = "(?:const\\s+)?(?:size_t|unsigned\\s+(?:int|long)|unsigned|u?int|u?long)";

    /** Those read before, of which there are mostly few: jobs are built again and again. */
    private static final Map<Key, KernelText> READ = new ConcurrentHashMap<>();

    private static final Map<List<String>, List<String>> VARIABLES = new ConcurrentHashMap<>(); // by digest and options

    private static final int MOST = 4096;

    private record Key(String digest, String kernel, int along) {}

    /**
     * Whether kernels see their job, where nobody says so: if an access needs it, or if none was written for Evener, that is, asks for
     * its chunk, has a Java form or a variant for a class of devices, unless it is proven that they cannot tell the difference: with
     * chunks they do with less memory.
     *
     * @param written whether one has such a variant
     * @param space the job's
     * @param said whether they do, if somebody has said so
     * @param refused makes the exception if a kernel that is taken to see its chunk shows that it does not
     */
    static boolean seeJob(
            List<JobSpec.Phase> phases,
            boolean written,
            Space space,
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
        boolean tells = space.dimensions() > 1;
        for (JobSpec.Phase phase : phases) {
            // A text is read where something depends on it: that takes longer than all else that is checked of a job.
            if (phase.source() == null || asks(phase) || (sees && tells)) {
                continue;
            }
            for (JobSpec.Pass pass : phase.passes()) {
                List<Argument> arguments = phase.arguments().subList(pass.firstArgument(), pass.endArgument());
                tells |= sees && (!pass.isPlain() || arguments.stream().anyMatch(KernelText::tells));
                if (sees && tells) {
                    break;
                }
                KernelText text = of(phase.source(), pass.kernel(), space.along());
                tells |= !text.isOfElements(arguments, space.sizes().get(space.along()));
                if (!sees && text.needsJob(arguments)) {
                    int along = space.along();
                    throw refused.apply("a kernel takes get_global_id(" + along
                            + ") for an index in the job: it compares that with a"
                            + " scalar, or indexes a whole buffer with it. Say jobView(), in which a Java form has all of each buffer, or"
                            + " chunkView() if it means an index in the chunk");
                }
            }
        }
        return sees && tells;
    }

    /**
     * Refuses kernels that may keep something from launch to launch: each device would keep its own, of the chunks that it happens to get.
     *
     * @param refused makes the exception
     */
    static void refuseState(List<JobSpec.Phase> phases, Function<String, EvenerException> refused) {
        for (JobSpec.Phase phase : phases) {
            for (JobSpec.Pass pass : phase.passes()) {
                for (Variant variant : pass.variants().isEmpty()
                        ? List.of(Variant.plain())
                        : pass.variants().values()) {
                    List<String> variables =
                            phase.source() == null ? List.of() : variables(phase.source(), variant.options());
                    if (!variables.isEmpty()) {
                        throw refused.apply("source "
                                + Objects.requireNonNull(phase.source()).name()
                                + " has variables that outlive a launch, of which each device has its own ("
                                + String.join(", ", variables)
                                + "): make them constant or const, or buffers of the job. An undivided() job may have them, as memory of"
                                + " one launch");
                    }
                }
            }
        }
    }

    /** Those that a source has if it is built with more options than its own. */
    public static List<String> variables(KernelSource source, String options) {
        String all = source.options() + " " + options;
        if (!all.contains("-cl-std=")) { // without reading the text
            return List.of();
        }
        if (VARIABLES.size() > MOST) {
            VARIABLES.clear();
        }
        return VARIABLES.computeIfAbsent(
                List.of(source.digest(), options),
                key -> SourceNames.of(source.text(), all).variables());
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
        return phase.any(
                b -> b.access() instanceof Access.Parts || b.access() instanceof Access.Slices || b.image() != null);
    }

    /** Whether a kernel with this argument may have to do with more of its job than a work-item's own elements. */
    private static boolean tells(Argument argument) {
        return (argument instanceof Argument.Scalar s && !(s.value() instanceof Float || s.value() instanceof Double))
                || argument instanceof Argument.Local
                || argument instanceof Argument.Value
                || (argument instanceof Argument.Buffer b && (b.isSeenWhole() || b.view() == Argument.View.AROUND));
    }

    /**
     * Whether the kernel compares its index with a number that it is given, or finds with it its place in a buffer of which it sees all. In
     * the chunk's view both are mistakes, since that index counts from the chunk's start.
     */
    private boolean needsJob(List<Argument> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            Argument each = arguments.get(i);
            if ((each instanceof Argument.Scalar && compared.contains(i))
                    || (each instanceof Argument.Buffer b && b.isSeenWhole() && !b.written() && indexed.contains(i))) {
                return true;
            }
        }
        return false;
    }

    /** Whether it is proven that the kernel finds with its index the elements of its unit, and does nothing else with it. */
    private boolean isOfElements(List<Argument> arguments, long units) {
        boolean are = ofElements != null;
        for (int i = 0; i < arguments.size() && ofElements != null; i++) {
            if (arguments.get(i) instanceof Argument.Buffer b && b.access() instanceof Access.Slice s) {
                long bytes = ofElements.getOrDefault(i, -1L);
                long own = s.elementsPerUnit() > 0
                        ? s.elementsPerUnit() * b.range().type().bytes()
                        : units == 0 ? 0 : b.range().byteSize() / units;
                are &= bytes == 0 || bytes == own;
            } else {
                are &= arguments.get(i) instanceof Argument.Scalar;
            }
        }
        return are;
    }

    /**
     * Whether a kernel may have variables in local memory. Only kernels declare them, so it is this one's body that tells, where it is
     * found and its words are all known.
     */
    public static boolean mayHaveLocals(KernelSource source, String kernel) {
        SourceNames names = SourceNames.of(source.text(), source.options());
        String text = names.code();
        boolean hidden = names.includes() || names.pastes();
        Pattern local = names.standingFor(Set.of("local", "__local"), (meaning, words) -> false);
        boolean found = false;
        boolean has = false;
        for (Definition each : definitions(text)) {
            if (each.end >= 0 && each.kernel.equals(kernel)) {
                found = true;
                has |= local.matcher(text.substring(each.begin, each.end)).find();
            }
        }
        return (found && !hidden) ? has : LOCAL.matcher(source.text()).find();
    }

    /**
     * Whether a kernel may ask for its group, or its place in it, as it or a function does that it may call. What other kernels ask is left
     * out, unless something may call them.
     *
     * @param names of its text
     */
    public static boolean mayAskOfGroups(SourceNames names, String kernel) {
        if (!names.mayAskOfGroups()) {
            return false;
        }
        String code = names.code().replaceAll("\\s+\\(", "(");
        StringBuilder own = new StringBuilder();
        int kept = 0;
        for (Definition each : definitions(code)) {
            String call = each.kernel + "(";
            boolean other = !each.kernel.equals(kernel) && code.indexOf(call) == code.lastIndexOf(call);
            if (each.end >= 0 && other && !names.directives().contains(each.kernel)) {
                own.append(code, kept, each.begin);
                kept = each.end;
            }
        }
        own.append(code, kept, code.length());
        return new SourceNames(own.toString(), names.directives(), names.macros(), names.includes(), names.pastes())
                .mayAskOfGroups();
    }

    /**
     * Where a kernel stands in a text.
     *
     * @param start of its head
     * @param open behind the parenthesis of its parameters
     * @param close of these
     * @param begin of its body, at the brace
     * @param end of that; negative if it has none
     */
    private record Definition(String kernel, int start, int open, int close, int begin, int end) {}

    private static List<Definition> definitions(String text) {
        List<Definition> all = new ArrayList<>();
        Matcher head = HEAD.matcher(text);
        for (int behind = 0; head.find(behind); ) {
            int close = SourceNames.closing(text, head.end(), '(', ')');
            int begin = close < 0 ? -1 : text.indexOf('{', close);
            int end = begin < 0 ? -1 : SourceNames.closing(text, begin + 1, '{', '}');
            all.add(new Definition(head.group(1), head.start(), head.end(), close, begin, end));
            behind = end < 0 ? head.end() : end;
        }
        return all;
    }

    private static KernelText of(KernelSource source, String kernel, int along) {
        if (READ.size() > MOST) {
            READ.clear();
        }
        return READ.computeIfAbsent(new Key(source.digest(), kernel, along), key -> read(source, kernel, along));
    }

    private static KernelText read(KernelSource source, String kernel, int along) {
        SourceNames names = SourceNames.of(source.text(), source.options());
        String text = names.code();
        Set<Integer> compared = new HashSet<>();
        Set<Integer> indexed = new HashSet<>();
        Map<Integer, Long> ofElements = null;
        StringBuilder rest = new StringBuilder(names.directives()); // what stands outside of kernels
        int behind = 0;
        int found = 0;
        for (Definition each : definitions(text)) {
            rest.append(text, behind, Math.max(behind, each.start));
            behind = each.end < 0 ? each.open : each.end;
            if (each.end < 0 || !each.kernel.equals(kernel)) {
                continue;
            }
            found++;
            String body = text.substring(each.begin + 1, each.end);
            String index = indices(body, along);
            List<String> parameters =
                    List.of(text.substring(each.open, each.close).split(",", -1));
            for (int i = 0; i < parameters.size(); i++) {
                Matcher name = PARAMETER.matcher(parameters.get(i));
                if (name.find() && compares(body, index, name.group(1))) {
                    compared.add(i);
                } else if (name.reset().find()
                        && Pattern.compile("\\b" + name.group(1) + "\\s*\\[\\s*" + index + "\\s*\\]")
                                .matcher(body)
                                .find()) {
                    indexed.add(i);
                }
            }
            ofElements = changesNothing(names.macros(), text.substring(each.start, each.end))
                    ? elements(body, parameters, along)
                    : null;
        }
        rest.append(text, behind, text.length());
        boolean alone = found == 1
                && !names.includes()
                && !names.pastes()
                && !Pattern.compile("get_|_group_|\\b" + kernel + "\\b")
                        .matcher(rest)
                        .find();
        return new KernelText(alone ? ofElements : null, compared, indexed);
    }

    /** Whether no condition and no macro but numbers stands in a text. */
    private static boolean changesNothing(Map<String, String> macros, String text) {
        return !text.contains("#")
                && macros.entrySet().stream()
                        .allMatch(macro -> NUMBERS.matcher(macro.getValue()).matches()
                                || !Pattern.compile("\\b" + macro.getKey() + "\\b")
                                        .matcher(text)
                                        .find());
    }

    /** What {@link #ofElements} says if nothing but this body can ask for an index; null if that is not proven. */
    private static @Nullable Map<Integer, Long> elements(String body, List<String> parameters, int along) {
        String call = "get_global_id\\s*\\(\\s*" + along + "\\s*\\)";
        // A variable that is the index once and for all stands for the call.
        String plain = body;
        Matcher declared = Pattern.compile("\\b" + INTEGER + "\\s+(?:const\\s+)?(\\w+)\\s*=\\s*(?:\\(\\s*" + INTEGER
                        + "\\s*\\)\\s*)?" + call + "\\s*;")
                .matcher(body);
        while (declared.find()) {
            String variable = "\\b" + declared.group(1) + "\\b";
            String others = body.substring(0, declared.start()) + body.substring(declared.end());
            if (!Pattern.compile(variable + "\\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?:\\+\\+|--|&)\\s*" + variable + "|"
                            + variable + "\\s*(?:\\+\\+|--)|\\w\\s+\\*?" + variable)
                    .matcher(others.replaceAll("\\breturn\\b", ";"))
                    .find()) {
                plain = plain.replace(declared.group(), ";").replaceAll(variable, "get_global_id(" + along + ")");
            }
        }
        if (OF_GROUP.matcher(plain).find()) {
            return null;
        }
        Map<Integer, Long> bytes = new HashMap<>();
        String left = plain;
        for (int i = 0; i < parameters.size(); i++) {
            Matcher array = ARRAY.matcher(parameters.get(i));
            if (!array.matches()) {
                continue;
            }
            String name = "\\b" + array.group(6) + "\\b";
            int size = array.group(1) != null ? 1 : array.group(2) != null ? 2 : array.group(3) != null ? 4 : 8;
            String width = array.group(5);
            long element = (long) size * (width == null ? 1 : width.equals("3") ? 4 : Integer.parseInt(width));
            // p[i], or p[k * i + ...] with a number k: one of the unit's k elements.
            Matcher subscript = Pattern.compile(
                            "(?<![\\w.>])" + name + "\\s*\\[\\s*(?:" + call + "|(?:(\\d+)\\s*\\*\\s*" + call + "|"
                                    + call + "\\s*\\*\\s*(\\d+))(?:\\s*\\+[\\w\\s+*]+)?)\\s*\\]")
                    .matcher(left);
            long step = 0;
            while (subscript.find()) {
                String times = subscript.group(1) == null ? subscript.group(2) : subscript.group(1);
                long its = element * (times == null ? 1 : times.length() > 9 ? -1 : Long.parseLong(times));
                step = step == 0 || step == its ? its : -1;
            }
            left = subscript.replaceAll(" 0 ");
            bytes.put(i, step);
            if (Pattern.compile("(?<!\\.)(?<!->)" + name).matcher(left).find()
                    || Pattern.compile("(?<!&)&[\\s(]*" + name).matcher(plain).find()) {
                return null; // it is used in another way
            }
        }
        return left.contains("get_") ? null : bytes;
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
}
