package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.workloads.document.Suggestion;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Member;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The top command. Exit codes: 0 done, 1 failed, 2 wrong usage, 141 nobody reads standard output any more; errors are one line unless
 * {@code --verbose} is given.
 */
@Command(
        name = "evener",
        description = "Runs one data-parallel job on every CPU and GPU of this machine, finishing together.",
        mixinStandardHelpOptions = true,
        scope = CommandLine.ScopeType.INHERIT,
        versionProvider = EvenerCommand.Version.class)
public final class EvenerCommand implements Runnable {
    private static final Set<String> HELP = Set.of("help", "--help", "-h", "-hV", "-Vh");
    private static final Set<String> VERSION = Set.of("--version", "-V");

    /** Those that open devices, which is most of what they do. */
    private static final Set<String> OPENING = Set.of("devices", "tonemap", "run");

    /** In the order in which help lists them. */
    private static final Class<?>[] COMMANDS = {
        DevicesCommand.class,
        TonemapCommand.class,
        RunCommand.class,
        ImportCommand.class,
        BenchCommand.class,
        ExperimentCommand.class,
        ReplayCommand.class,
        SimulateCommand.class,
        TuneCommand.class,
        HistoryCommand.class,
        Bundle.class,
        Verify.class,
        Docs.class,
        Moved.class,
        AutoComplete.GenerateCompletion.class,
        CommandLine.HelpCommand.class
    };

    private static final char LOST = '\ufffd';

    static final int DONE = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;
    /** What shells report of a program that ends because nobody reads its output any more: 128 and the number of SIGPIPE. */
    static final int NO_READER = 141;

    @Spec
    private @Nullable CommandSpec spec;

    /** Runs a command line and returns the exit code. */
    public static int run(String... args) {
        boolean opens =
                args.length > 0 && OPENING.contains(args[0]) && Stream.of(args).noneMatch(HELP::contains);
        // Drivers take as long to load as options to be read. What is wrong with them is said when they are used.
        CompletableFuture<?> loaded =
                opens ? CompletableFuture.runAsync(Evener::discover) : CompletableFuture.completedFuture(null);
        try {
            return run(Screen.standardOutput(), Screen.standardError(), args);
        } finally { // a process that ends while one loads may crash
            loaded.handle((done, failure) -> done).join();
        }
    }

    /** The same, with the streams to write to. */
    static int run(Screen out, Screen err, String... args) {
        String[] words = Moved.moved(args);
        CommandLine line = commandLine(words).setOut(out).setErr(err);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF)); // screens show escapes
        line.setCaseInsensitiveEnumValuesAllowed(true);
        if (args.length == 0 || Stream.of(args).anyMatch(HELP::contains)) { // or it would be read at every start
            help(line);
        }
        line.registerConverter(Path.class, word -> {
            try {
                return path(word);
            } catch (UserError e) {
                throw new TypeConversionException(e.getMessage());
            }
        });
        line.setParameterExceptionHandler(EvenerCommand::wrongUsage);
        line.setExecutionExceptionHandler(EvenerCommand::failed);
        line.setExecutionStrategy(EvenerCommand::execute);
        int code = line.execute(words);
        IOException unwritten = out.failure();
        if (unwritten == null) {
            return code;
        }
        UserError why = UserError.unwritten(unwritten);
        say(err, why);
        return code == DONE ? why.exitCode() : code;
    }

    /**
     * The file of a name that was typed. Java puts one letter in place of bytes that are none, and would make a file of another name.
     *
     * @throws UserError if no file can have that name here
     */
    static Path path(String name) {
        try {
            Path path = Path.of(name);
            if (name.indexOf(LOST) >= 0 && !Files.exists(path)) {
                throw UserError.usage(
                        name + ": the name is not UTF-8; rename the file, or, of a frame, name its folder");
            }
            if (!path.isAbsolute() && System.getProperty("user.dir").indexOf(LOST) >= 0) {
                throw UserError.usage(name + ": the name of the current folder is not UTF-8; go to another one");
            }
            return path;
        } catch (InvalidPathException e) {
            throw UserError.usage(name + ": this locale (" + System.getProperty("sun.jnu.encoding")
                    + ") has no such letters; set LC_ALL=C.UTF-8, or name the file's folder");
        }
    }

    /** With the commands that these words may mean: reading the options of all of them is a good part of a short run. */
    static CommandLine commandLine(String... words) {
        CommandLine line = new CommandLine(new EvenerCommand());
        if (words.length == 1 && VERSION.contains(words[0])) {
            return line;
        }
        List<Class<?>> wanted = Stream.of(COMMANDS)
                .filter(c -> words.length > 0
                        && c.getAnnotation(Command.class).name().equals(words[0]))
                .toList();
        boolean any = wanted.isEmpty()
                || wanted.get(0) == AutoComplete.GenerateCompletion.class
                || Stream.of(words).anyMatch(HELP::contains);
        for (Class<?> each : any ? List.of(COMMANDS) : wanted) {
            line.addSubcommand(each);
        }
        CommandLine moved = line.getSubcommands().get("compare");
        if (moved != null) {
            moved.setUnmatchedOptionsArePositionalParams(true); // whatever it is given
        }
        return line;
    }

    /** A word that means nothing is refused also where help is asked for, which picocli would give without a word on it. */
    private static int execute(ParseResult parsed) {
        ParseResult last = parsed;
        while (last.subcommand() != null) {
            last = last.subcommand();
        }
        if (!last.unmatched().isEmpty()) {
            throw new UnmatchedArgumentException(last.commandSpec().commandLine(), last.unmatched());
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    @Override
    public void run() {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        line.usage(line.getOut());
    }

    /** Gives the commands what help says, with their options in groups. */
    static void help(CommandLine line) {
        ResourceBundle texts = ResourceBundle.getBundle("dev.evener.workloads.cli.help");
        line.setResourceBundle(texts);
        Map<String, CommandLine.IHelpSectionRenderer> sections = new HashMap<>(line.getHelpSectionMap());
        sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, help -> options(help, texts));
        line.setHelpSectionMap(sections);
        for (CommandLine command : line.getSubcommands().values()) {
            command.setHelpSectionMap(sections);
            command.getCommandSpec().usageMessage().optionListHeading(""); // each group has its own
        }
    }

    private static String options(CommandLine.Help help, ResourceBundle texts) {
        Map<String, List<OptionSpec>> groups = new TreeMap<>();
        for (OptionSpec option : help.commandSpec().options()) {
            groups.computeIfAbsent(group(option, texts), key -> new ArrayList<>())
                    .add(option);
        }
        StringBuilder text = new StringBuilder();
        groups.forEach((group, members) -> text.append(texts.getString("group." + group))
                .append(System.lineSeparator())
                .append(help.optionListExcludingGroups(members)));
        return text.toString();
    }

    /** By the class that declares it, of those that several commands share; a command's own options come first. */
    private static String group(OptionSpec option, ResourceBundle texts) {
        String declaring = option.userObject() instanceof Member member
                ? member.getDeclaringClass().getName()
                : option.userObject().toString();
        String name = "group.of." + declaring.substring(declaring.lastIndexOf('.') + 1);
        return texts.containsKey(name) ? texts.getString(name) : "1";
    }

    private static int wrongUsage(ParameterException e, String[] args) {
        PrintWriter err = e.getCommandLine().getErr();
        CommandSpec command = e.getCommandLine().getCommandSpec();
        List<String> unmatched =
                e.getCommandLine().getUnmatchedArguments(); // what is misspelt seems to be missing, too
        String problem = e.getMessage();
        if (!unmatched.isEmpty()) {
            String word = unmatched.get(0);
            boolean option = word.startsWith("-");
            Set<String> names = (option ? command.optionsMap() : command.subcommands()).keySet();
            problem = new UnmatchedArgumentException(e.getCommandLine(), unmatched).getMessage()
                    + Suggestion.of(option ? word.split("=", 2)[0] : word, names);
        }
        err.println("evener: " + oneLine(problem) + " (see " + command.qualifiedName() + " --help)");
        return USAGE;
    }

    private static int failed(Exception e, CommandLine line, ParseResult parsed) {
        if (verbose(parsed)) {
            e.printStackTrace(line.getErr());
        } else {
            say(line.getErr(), e);
            for (Throwable other : e.getSuppressed()) { // another output that could not be written
                say(line.getErr(), other);
            }
        }
        return e instanceof UserError user ? user.exitCode() : FAILED;
    }

    private static void say(PrintWriter err, Throwable e) {
        String message = e.getMessage();
        boolean explained = e instanceof EvenerException || e instanceof UserError;
        String shown = explained && message != null ? oneLine(message) : e.toString();
        if (!shown.isEmpty()) {
            err.println("evener: " + shown);
        }
    }

    private static boolean verbose(ParseResult parsed) {
        for (ParseResult level = parsed; level != null; level = level.subcommand()) {
            if (level.hasMatchedOption("--verbose")) {
                return true;
            }
        }
        return false;
    }

    /** The first line: the rest, such as a build log, is for {@code --verbose}. */
    static String oneLine(String message) {
        return message.lines()
                .map(String::strip)
                .filter(l -> !l.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Name and version, as in the jar's manifest. */
    static String version() {
        String version = EvenerCommand.class.getPackage().getImplementationVersion();
        return "evener " + (version == null ? "(not packaged)" : version);
    }

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {version()};
        }
    }

    /** Belongs to the launcher, which installs what the tests need before any Java runs; it is listed here. */
    @Command(name = "verify", description = "Sets up what the tests need and runs all of them (through ./evener).")
    static final class Verify extends CliCommand {
        @Override
        int execute() {
            throw UserError.usage("the tests are in the sources: type ./evener verify in a checkout");
        }
    }

    /** Belongs to the launcher, as it takes the sources; it is listed here. */
    @Command(name = "docs", description = "Makes the documentation of the API and opens it (through ./evener).")
    static final class Docs extends CliCommand {
        @Override
        int execute() {
            throw UserError.usage("the documentation is made of the sources: type ./evener docs in a checkout");
        }
    }

    /** Belongs to the launcher, as it takes a whole JDK and what the build made; it is listed here. */
    @Command(
            name = "bundle",
            description = "Makes an archive that runs on Linux machines without a JDK (through ./evener).")
    static final class Bundle extends CliCommand {
        @Override
        int execute() {
            throw UserError.usage("a bundle is made from a checkout, with a JDK: type ./evener bundle there");
        }
    }

    /**
     * The commands that became {@code bench}, and {@code replay --simulate}: whatever they are given, they answer with
     * what to type instead.
     */
    @Command(
            name = "compare",
            aliases = {"yardsticks", "resident"},
            hidden = true,
            description = "Is evener bench now.")
    static final class Moved extends CliCommand {
        private static final String SIMULATE = "replay --simulate";

        /** What is called otherwise, with what parts it from the next word. */
        private static final Map<String, String> WORDS = Map.ofEntries(
                Map.entry("--experiment", ""),
                Map.entry("--size", "--sizes "),
                Map.entry("--frames", "--sizes "),
                Map.entry("--slots", "--set slots="),
                Map.entry("--input", "--set files="),
                Map.entry("--try", "--tunings "),
                Map.entry("--chunks", "--policies stealing/"));

        @Spec
        private @Nullable CommandSpec command;

        @Parameters(arity = "0..*", hidden = true)
        private List<String> words = new ArrayList<>();

        /** The words of a command line, or those that come here where {@code replay} was to simulate. */
        static String[] moved(String... args) {
            List<String> words = new ArrayList<>(List.of(args));
            if (!words.contains("replay") || !words.remove("--simulate")) {
                return args;
            }
            words.subList(0, words.indexOf("replay") + 1).clear();
            words.add(0, "compare");
            words.add(1, SIMULATE);
            return words.toArray(String[]::new);
        }

        @Override
        int execute() {
            if (words.remove(SIMULATE)) {
                throw UserError.usage("'evener replay --simulate' is 'evener simulate' now; type: evener simulate "
                        + String.join(" ", words));
            }
            CommandSpec own = Objects.requireNonNull(command);
            String name = Stream.concat(Stream.of(own.name()), Stream.of(own.aliases()))
                    .filter(own.root().commandLine().getParseResult().originalArgs()::contains)
                    .findFirst()
                    .orElse(own.name());
            String now = " " + String.join(" ", words) + " ";
            for (Map.Entry<String, String> each : WORDS.entrySet()) {
                now = now.replace(" " + each.getKey() + " ", " " + each.getValue());
            }
            String start = name.equals("yardsticks") ? " primitives" : name.equals("resident") ? " resident" : "";
            throw UserError.usage(
                    "'evener " + name + "' is 'evener bench' now; type: evener bench" + (start + now).stripTrailing());
        }
    }
}
