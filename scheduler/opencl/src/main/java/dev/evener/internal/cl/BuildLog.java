package dev.evener.internal.cl;

import dev.evener.EvenerException.BuildFailedException;
import dev.evener.KernelSource;
import dev.evener.internal.source.SourceLines;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the first error in what a compiler says: {@code file:line:column: error: text}, or, of PoCL, {@code error: file:line:column: text},
 * where behind the place may stand another, in the macro that has it there: PoCL's built-in functions are such macros.
 */
final class BuildLog {
    private static final Pattern ERROR =
            Pattern.compile("(?m)(?:error: (?:([^\\n]*?):)?(\\d+):(\\d+)(?: <Spelling=[^\\n]*?>)?: (.*)"
                    + "|^(?:([^\\n]*?):)?(\\d+):(\\d+): (?:fatal )?error: (.*))$");

    /** How PoCL names its functions. */
    private static final Pattern RENAMED = Pattern.compile("\\b_cl_(?=\\w)");

    /** How {@link Programs} names those that ask of the launch. */
    private static final Pattern TOLD = Pattern.compile("\\bevener_(?=global|group|num|work)");

    /** A word of the language where a name stands: behind a type, and in front of what may follow a name. */
    private static final Pattern RESERVED = Pattern.compile(
            "\\b(?:void|bool|u?char|u?short|u?int|u?long|float|double|half|size_t)\\d*[\\s*]+(?:const\\s+|restrict\\s+)?"
                    + "(bool|u?char|u?short|u?int|u?long|float|double|half|kernel|global|local|constant|private|generic|pipe"
                    + "|complex|imaginary|quad|sampler_t|event_t|u?char\\d+|u?short\\d+|u?int\\d+|float\\d+|double\\d+|half\\d+)"
                    + "\\s*[=;,)(\\[]");

    /** Functions of OpenCL C whose names are those of common variables and kernels. */
    private static final Set<String> BUILT_IN = Set.of(
            ("abs add_sat all any barrier bitselect ceil clamp convert cross degrees distance dot exp fabs fill floor fma fmax"
                            + " fmin fract hypot isequal length log mad max min mix normalize pow prefetch printf radians"
                            + " remainder rint rotate round select shuffle sign smoothstep step sqrt trunc vload2 wait_group_events")
                    .split(" "));

    /** What NVIDIA's assembler says of a limit that the compiler before it does not know. It takes less for arguments than the driver tells. */
    private static final Pattern BEYOND = Pattern.compile(
            "(?im)^.*(?:(parameter space overflow|too much parameter space)|too much shared (?:data|memory)).*$");

    /** The file that PoCL writes a text to, and what it adds to every log. */
    private static final Pattern TEMPORARY = Pattern.compile("(?<![^\\s=])/\\S*/tempfile\\w*\\.cl");

    private static final Pattern NOTHING_NEW =
            Pattern.compile("(?m)^(?:Device .* failed to build the program|\\d+ errors? generated\\.)\\R?");

    private static final Pattern QUOTED = Pattern.compile("'(\\w+)[^']*'");

    private BuildLog() {}

    /** The failure of a source, with the place of the first error, the line, and its reason if that is a reserved name. */
    static BuildFailedException failure(
            KernelSource source, String on, String options, String raw, Throwable cause, LaunchLimits limits) {
        String log = TEMPORARY
                .matcher(NOTHING_NEW.matcher(raw).replaceAll("").stripTrailing())
                .replaceAll(Matcher.quoteReplacement(SourceLines.displayed(source.name())));
        Matcher error = ERROR.matcher(log);
        String what = "kernel source " + source.name() + " does not build for " + on;
        if (!error.find()) {
            return new BuildFailedException(
                    what + ": " + said(log, limits) + "\nThe compiler, with options '" + options + "', says ("
                            + cause.getMessage() + "):\n" + log,
                    cause,
                    log,
                    source.name(),
                    0,
                    0,
                    "");
        }
        int first = error.group(2) != null ? 1 : 5;
        int line = Integer.parseInt(error.group(first + 1));
        int column = Integer.parseInt(error.group(first + 2));
        String said = RENAMED.matcher(error.group(first + 3).strip()).replaceAll("");
        said = TOLD.matcher(said).replaceAll("get_");
        String file = fileOf(source, error.group(first));
        String at = SourceLines.physicalLine(source.text(), source.name(), file, line);
        file = file.equals(SourceLines.displayed(source.name())) ? source.name() : file;
        return new BuildFailedException(
                "kernel source " + source.name() + " does not build: " + file + ":" + line + ":" + column
                        + ": "
                        + said + reserved(at, said) + "\n    " + at + "\nThe compiler for " + on + ", with options '"
                        + options + "', says:\n" + log,
                cause,
                log,
                file,
                line,
                column,
                at);
    }

    /** Of a log without a place what is most likely the reason, which behind a heading is the next line. */
    private static String said(String log, LaunchLimits limits) {
        Matcher said = BEYOND.matcher(log);
        return !said.find()
                ? log.lines()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty() && !line.endsWith(":"))
                        .findFirst()
                        .orElse("")
                : said.group().strip()
                        + (said.group(1) != null
                                ? "; its arguments are too large (CL_DEVICE_MAX_PARAMETER_SIZE is "
                                        + limits.parameterBytes()
                                : "; its local memory is too large (CL_DEVICE_LOCAL_MEM_SIZE is " + limits.localBytes())
                        + ")";
    }

    /** The text that a compiler means: the source, if it has a name of its own for that, or one that it includes. */
    private static String fileOf(KernelSource source, @Nullable String file) {
        String main = SourceLines.displayed(source.name());
        String found = main;
        for (SourceLines.Line line : SourceLines.of(source.text(), source.name())) {
            boolean left =
                    line.directive().equals("include"); // to the compiler, which has the main text under our name
            found = file != null && (left || line.file().equals(file)) ? file : found;
        }
        return found;
    }

    private static String reserved(String line, String said) {
        Matcher name = RESERVED.matcher(line);
        if (name.find()) {
            return "; '" + name.group(1) + "' is a reserved word of OpenCL C: use another name";
        }
        Matcher quoted = QUOTED.matcher(said);
        while (!said.contains(" call to ") && quoted.find()) { // a call means the function, and is wrong
            if (BUILT_IN.contains(quoted.group(1))) {
                return builtIn(quoted.group(1));
            }
        }
        return "";
    }

    /** What is to be said of a name that a compiler takes for its own; nothing of others. PoCL renames kernels that have one. */
    static String builtIn(String name) {
        return BUILT_IN.contains(name) ? "; '" + name + "' is a built-in function of OpenCL C: use another name" : "";
    }
}
