package dev.evener.internal.lane;

import dev.evener.ElementType;
import dev.evener.KernelSource;
import dev.evener.image.Image;
import dev.evener.internal.cl.ClKernel.ImageUse;
import dev.evener.internal.cl.ClKernel.Meaning;
import dev.evener.internal.cl.ClKernel.Parameter;
import dev.evener.internal.cl.ClKernel.Space;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.job.KernelText;
import dev.evener.internal.recovery.LaneFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the arguments of a job with the parameters of its kernel, because drivers do not: they take a scalar given for a
 * pointer as the address of a memory object and crash, and compute on floats as if they were doubles. What a driver
 * does not say of its parameters is not checked.
 */
final class ArgumentCheck {
    private static final Logger LOG = LoggerFactory.getLogger(ArgumentCheck.class);

    /** What was warned of in this process: no more than kernels that were built. */
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    /** Types that are neither memory nor a number. PoCL takes whatever is given for one of them as the address of one, and crashes. */
    private static final Pattern IMAGE_OR_SAMPLER = Pattern.compile("\\b(image[123]d\\w*_t|sampler_t)\\b");

    private ArgumentCheck() {}

    /**
     * The parameters with what their types stand for, where the source has names of its own for them and it matters.
     *
     * @param words all words by which such a name may be defined
     * @param meanings asks the compiler, which takes as long as a build
     */
    static List<Parameter> explained(
            JobSpec.Phase phase,
            JobSpec.Pass pass,
            List<Parameter> parameters,
            Function<String, Set<String>> words,
            Function<String, Meaning> meanings) {
        List<Parameter> all = new ArrayList<>(parameters);
        for (int i = 0; i < Math.min(parameters.size(), pass.arguments()); i++) {
            String type = parameters.get(i).type();
            if (type != null
                    && Type.of(type) == null
                    && !IMAGE_OR_SAMPLER.matcher(type).find()
                    && (!type.contains("*") || mayDiffer(argument(phase, pass, i), pass, words.apply(type)))) {
                all.set(i, parameters.get(i).meaning(meanings.apply(type)));
            }
        }
        return all;
    }

    /** Whether what a pointer points to, of which there are these words, may be no element of an argument. */
    private static boolean mayDiffer(Argument argument, JobSpec.Pass pass, Set<String> words) {
        ElementType element = argument instanceof Argument.Buffer b
                ? elementOf(b)
                : argument instanceof Argument.Temporary t
                        ? t.memory().type()
                        : argument instanceof Argument.Local l ? l.type() : null;
        List<Type> types = words.stream().map(Type::of).filter(Objects::nonNull).toList();
        boolean differ = types.isEmpty() && !words.contains("struct") && !words.contains("union");
        for (Type type : types) {
            differ |= element == null || !type.holds(element) || (isMerged(argument) && type.bytes() < element.bytes());
        }
        boolean large = types.stream().anyMatch(type -> type.components() > 1) // a vector or a struct
                || words.contains("struct")
                || words.contains("union")
                || words.stream().anyMatch(word -> Character.isDigit(word.charAt(0))); // which may make a vector's name
        return differ
                || (large
                        && pass.variants().isEmpty()
                        && argument instanceof Argument.Buffer b
                        && b.bytesPerUnit() > 0);
    }

    private static boolean isMerged(Argument argument) {
        return argument instanceof Argument.Buffer b && b.reduction() != null;
    }

    /** Kernels count what they append unit by unit, in words, however long the whole number is. */
    private static ElementType elementOf(Argument.Buffer b) {
        Argument.Hidden hidden = b.hidden();
        return hidden == null ? b.buffer().type() : hidden.type();
    }

    /** An argument of a kernel; of what it has seen before, that. */
    static Argument argument(JobSpec.Phase phase, JobSpec.Pass pass, int i) {
        Argument argument = phase.arguments().get(pass.firstArgument() + i);
        return argument instanceof Argument.Again again ? phase.arguments().get(again.argument()) : argument;
    }

    /**
     * @param parameters of which types were {@linkplain #explained explained}
     * @param options of the compiler beside the source's own
     * @return what was warned of, for the first time in this process
     * @throws LaneFailure if they do not fit; the message names kernel, argument and both types
     */
    static List<String> check(JobSpec.Phase phase, JobSpec.Pass pass, List<Parameter> parameters, String options) {
        if (parameters.size() != pass.arguments()) {
            throw LaneFailure.declaration("kernel " + pass.kernel() + " has " + parameters.size() + " parameters, but "
                    + pass.arguments() + " arguments were given");
        }
        List<String> warnings = new ArrayList<>();
        KernelSource source = phase.source();
        if (source != null) { // of an undivided job
            KernelText.variables(source, options)
                    .forEach(name -> warnings.add("variable " + name + " of source "
                            + source.name()
                            + " outlives a launch, and each device has its own: what one job writes there, another may not read."
                            + " Make it a buffer of both"));
        }
        for (int i = 0; i < pass.arguments(); i++) {
            Argument argument = argument(phase, pass, i);
            Parameter parameter = parameters.get(i);
            boolean written = pass.written().contains(i);
            String given = special(argument);
            String wanted = special(parameter);
            boolean special = given != null || wanted != null;
            String reason = !special
                    ? mismatch(argument, parameter)
                    : parameter.type() == null ? null : mismatch(given, wanted, parameter, written);
            if (reason == null
                    && argument instanceof Argument.Buffer b
                    && pass.variants().isEmpty()) {
                reason = partOfElement(b, parameter);
            }
            if (reason == null && written && !special && Boolean.TRUE.equals(parameter.constant())) {
                reason = "declared to be written, but the kernel's parameter is const";
            }
            if (reason != null) {
                throw LaneFailure.declaration(
                        "kernel " + pass.kernel() + ": " + phase.text(pass.firstArgument() + i) + " is " + reason);
            }
            if (!written
                    && argument instanceof Argument.Buffer
                    && !special
                    && Boolean.FALSE.equals(parameter.constant())
                    && parameter.space() == Space.GLOBAL) {
                warnings.add(maybeWritten(phase, pass, i));
            }
        }
        warnings.removeIf(warning -> !WARNED.add(warning));
        warnings.forEach(LOG::warn);
        return warnings;
    }

    /** A unit that is smaller than what the kernel's pointer points to, where each has a work-item of its own. */
    private static @Nullable String partOfElement(Argument.Buffer b, Parameter parameter) {
        Type type = typeOf(parameter);
        boolean vector = type != null && type.components() > 1;
        boolean struct =
                type == null && parameter.type() != null && parameter.type().contains("*");
        long size = vector ? type.size() : struct ? parameter.bytes() : 0; // 0 where nobody knows
        long unit = b.isSeenInPart() ? b.bytesPerUnit() : 0;
        int element = b.buffer().type().bytes();
        return unit == 0 || unit >= size
                ? null
                : "a buffer of which each unit has " + unit + " bytes, but the kernel's parameter is "
                        + (vector ? type.name() : parameter.type()) + " of " + size + ": give slice("
                        + (size + element - 1) / element
                        + ") and as many units as there are " + (vector ? "vectors" : "structs")
                        + ", or a Variant with unitsPerItem";
    }

    /** A kernel may have such a parameter and only read it, so it is no reason to refuse the job. */
    private static String maybeWritten(JobSpec.Phase phase, JobSpec.Pass pass, int argument) {
        return Objects.requireNonNull(phase.source()).name() + ", kernel " + pass.kernel() + ": "
                + phase.text(pass.firstArgument() + argument)
                + " is declared with reads(...), but the kernel's parameter is not const; what a kernel writes there is"
                + " lost on devices with memory of their own. Make the parameter const, or declare updates(...) or"
                + " writes(...)";
    }

    /** Its type, with the name that the source has for it as well. */
    private static @Nullable Type typeOf(Parameter parameter) {
        Type type = Type.of(parameter.type());
        return type == null || Objects.equals(parameter.named(), parameter.type())
                ? type
                : new Type(
                        parameter.named() + ", which is " + type.name,
                        type.pointer,
                        type.bytes,
                        type.floating,
                        type.components);
    }

    /** The name of a type that is neither memory nor a number; null of others. */
    private static @Nullable String special(Parameter parameter) {
        Matcher type = IMAGE_OR_SAMPLER.matcher(parameter.type() == null ? "" : parameter.type());
        return type.find() ? type.group(1) : null;
    }

    private static @Nullable String special(Argument argument) {
        if (argument instanceof Argument.Sampler) {
            return "sampler_t";
        }
        return argument instanceof Argument.Buffer b && b.image() != null
                ? b.image().kind().openClName()
                : null;
    }

    /** What is wrong where an image or sampler is given, or wanted. */
    private static @Nullable String mismatch(
            @Nullable String given, @Nullable String wanted, Parameter parameter, boolean written) {
        if (given == null) {
            return "no " + wanted + ", as the kernel's parameter is" + advice(wanted);
        } else if (!given.equals(wanted)) {
            return "of type " + given + ", but the kernel's parameter is "
                    + (wanted == null ? parameter.type() : wanted)
                    + (wanted == null ? ": give a buffer, as an image's pixels(), or a scalar" : advice(wanted));
        }
        ImageUse use = parameter.use();
        return use == null || use != (written ? ImageUse.READ_ONLY : ImageUse.WRITE_ONLY)
                ? null
                : "declared to be " + (written ? "written" : "read only") + ", but the kernel's parameter is "
                        + use.qualifier() + ": declare " + (written ? "reads(...)" : "writes(...) or updates(...)");
    }

    private static String advice(@Nullable String wanted) {
        if ("sampler_t".equals(wanted)) {
            return ": give sampler(...)";
        }
        return Arrays.stream(Image.Kind.values())
                        .anyMatch(kind -> kind.openClName().equals(wanted))
                ? ": give an Image of that kind, made by Evener.image(...) or over a buffer"
                : ", which jobs have not: let the kernel have a buffer, or an image2d_t";
    }

    private static @Nullable String mismatch(Argument argument, Parameter parameter) {
        Type type = typeOf(parameter);
        if (argument instanceof Argument.Local l) {
            return parameter.space() != Space.LOCAL && parameter.space() != Space.UNKNOWN
                    ? "local memory, but the kernel's parameter is no __local pointer"
                    : mismatch("local memory", l.type(), type, Space.UNKNOWN);
        }
        if (argument instanceof Argument.Temporary t) {
            return mismatch("a temporary", t.memory().type(), type, parameter.space());
        }
        if (argument instanceof Argument.Buffer b) {
            ElementType element = elementOf(b);
            return isMerged(b) && type != null && type.bytes() == 1 && element.bytes() > 1
                    ? "a buffer of " + element.openClName() + ", but the kernel's parameter is " + type.name()
                    : mismatch("a buffer", element, type, parameter.space());
        }
        if (parameter.space() == Space.LOCAL) {
            return "no local memory, but the kernel's parameter is a __local pointer; give local(type, count)";
        }
        if (parameter.space() != Space.UNKNOWN && parameter.space() != Space.PRIVATE) {
            return "no buffer, but the kernel's parameter is a pointer";
        }
        if (type == null || argument instanceof Argument.Value) {
            long size = type != null ? type.size() : parameter.bytes();
            long given = bytesOf(argument);
            return size == 0 || size == given
                    ? null
                    : "a value of " + given + " bytes, but the kernel's parameter, a " + parameter.type() + ", has "
                            + size + "; give value(bytes) with so many";
        }
        return scalarMismatch(argument, type);
    }

    private static @Nullable String mismatch(String what, ElementType element, @Nullable Type type, Space space) {
        if (space == Space.LOCAL) {
            return what + ", but the kernel's parameter is a __local pointer; give local(type, count)";
        }
        if (space == Space.PRIVATE) {
            return what + ", but the kernel's parameter is no __global or __constant pointer";
        }
        return type == null || type.holds(element)
                ? null
                : what + " of " + element.openClName() + ", but the kernel's parameter is " + type.name();
    }

    /** Bytes of a parameter; those that are no values are pointers. */
    static int bytesOf(Argument scalar) {
        if (scalar instanceof Argument.Value v) {
            return v.bytes().remaining();
        }
        if (scalar instanceof Argument.Scalar s) {
            return Type.of(nameOf(s.value())).bytes;
        }
        return scalar instanceof Argument.ChunkUnits ? Integer.BYTES : Long.BYTES;
    }

    /** How OpenCL C calls the type of a number. */
    private static String nameOf(Number value) {
        if (value instanceof Byte) {
            return "char";
        }
        // A Short, a Float, a Long or a Double as it is called.
        return value instanceof Integer
                ? "int"
                : value.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    private static @Nullable String scalarMismatch(Argument argument, Type type) {
        Type given = Type.of("ulong");
        String what = "where the chunk begins in a view, a ulong";
        if (argument instanceof Argument.Scalar s) {
            String name = nameOf(s.value());
            given = Type.of(name);
            what = "a scalar of type " + name;
        } else if (argument instanceof Argument.ChunkUnits) {
            given = Type.of(type.size() == Long.BYTES ? "ulong" : "uint"); // as the kernel wants it
            what = "the chunk's number of units, a uint or ulong";
        } else if (argument instanceof Argument.ChunkStart) {
            what = "the chunk's first unit, a ulong";
        }
        // A vector of the same size takes the bytes as they are.
        boolean fits = type.size() == given.bytes && (type.components > 1 || type.floating == given.floating);
        return fits ? null : what + ", but the kernel's parameter is " + type.name;
    }

    /**
     * A type of OpenCL C by its name.
     *
     * @param name as the driver gives it
     * @param pointer whether it is a pointer to what the rest describes
     * @param bytes size of one component; 0 for {@code void}
     * @param floating whether components are floating-point numbers
     * @param components of a vector; 1 for a scalar
     */
    record Type(String name, boolean pointer, int bytes, boolean floating, int components) {
        private static final Pattern NAME = Pattern.compile("([a-z]+)(2|3|4|8|16)?(\\*?)");

        /** Those met before: each job's arguments are checked, and there are few names. */
        private static final Map<String, Optional<Type>> MET = new ConcurrentHashMap<>();

        /** The type, or null if it is not one of the language's own: a struct or another name for one. */
        static @Nullable Type of(@Nullable String name) {
            return name == null
                    ? null
                    : MET.computeIfAbsent(name, n -> Optional.ofNullable(parse(n)))
                            .orElse(null);
        }

        private static @Nullable Type parse(String name) {
            // Drivers should leave out qualifiers and write uint for unsigned int; not all read that far.
            String plain = name.replaceAll("\\b(const|restrict|volatile|__\\w+)\\b", " ")
                    .trim()
                    .replaceAll("^unsigned( +(char|short|int|long))?\\b", "u$2")
                    .replaceAll("^u(?= *\\**$)", "uint")
                    .replace(" ", "");
            Matcher matcher = NAME.matcher(plain);
            String base = matcher.matches() ? matcher.group(1) : "";
            int bytes = switch (base) {
                case "void" -> 0;
                case "char", "uchar" -> 1;
                case "short", "ushort", "half" -> 2;
                case "int", "uint", "float" -> 4;
                case "long", "ulong", "double" -> 8;
                default -> -1;
            };
            if (bytes < 0) {
                return null;
            }
            boolean floating = base.equals("half") || base.equals("float") || base.equals("double");
            String vector = matcher.group(2);
            return new Type(
                    name, !matcher.group(3).isEmpty(), bytes, floating, vector == null ? 1 : Integer.parseInt(vector));
        }

        /** Size of a value in bytes; a vector of three takes the room of four. */
        int size() {
            return bytes * (components == 3 ? 4 : components);
        }

        /** Anything may be seen as bytes, but not bytes as anything; signs are the kernel's business, and short holds half. */
        boolean holds(ElementType element) {
            return bytes <= 1 || (bytes == element.bytes() && (floating == element.isFloating() || bytes == 2));
        }
    }
}
