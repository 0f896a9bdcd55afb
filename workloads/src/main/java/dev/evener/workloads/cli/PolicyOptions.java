package dev.evener.workloads.cli;

import dev.evener.policy.Objective;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.PolicyProvider;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** Options of every command that runs jobs: how they are cut. */
final class PolicyOptions {
    /** Jars of others. Before a command does its work, {@link CliCommand} has its thread find what they hold. */
    static final class Plugins {
        private static final String SERVICE = "META-INF/services/" + PolicyProvider.class.getName();

        @Option(names = "--plugins", split = ",", paramLabel = "JAR")
        @SuppressWarnings("UnusedVariable") // picocli is asked for it
        private List<Path> jars = List.of();

        /** A loader of the jars that a command was given; null if there are none. */
        static @Nullable URLClassLoader loader(CommandSpec command, ClassLoader parent) {
            OptionSpec option = command.findOption("--plugins");
            List<Path> jars = option == null ? List.of() : option.getValue();
            URL[] urls = new URL[jars.size()];
            boolean any = jars.isEmpty();
            for (int i = 0; i < urls.length; i++) {
                try (JarFile jar = new JarFile(jars.get(i).toFile())) {
                    any |= jar.getEntry(SERVICE) != null;
                    urls[i] = jars.get(i).toUri().toURL();
                } catch (MalformedURLException e) {
                    throw new AssertionError(e);
                } catch (IOException e) {
                    String why = e instanceof ZipException ? "it is no jar" : UserError.reason(e);
                    throw UserError.failed("--plugins: " + jars.get(i) + ": " + why);
                }
            }
            if (!any) {
                throw UserError.failed("--plugins: " + jars.get(0) + ": it names no policy in " + SERVICE);
            }
            return jars.isEmpty() ? null : new URLClassLoader("plugins", urls, parent);
        }
    }

    @Mixin
    @SuppressWarnings("UnusedVariable") // CliCommand asks picocli for it
    private Plugins plugins = new Plugins();

    @Option(names = "--policy", paramLabel = "NAME")
    private @Nullable String policy;

    @Option(names = "--split", paramLabel = "FRACTIONS")
    private @Nullable String split;

    @Option(names = "--objective", paramLabel = "WHICH")
    private @Nullable String objective;

    /**
     * The policy asked for.
     *
     * @param devices how many devices are in use; 0 if nobody knows yet
     */
    Policy policy(int devices) {
        String name = policy;
        if (objective != null) {
            return Policies.adaptive(UserError.parsed("--objective: ", () -> Objective.parse(objective)));
        }
        if (split == null) {
            return name == null
                    ? Policies.adaptive()
                    : UserError.parsed(
                            "--policy: ", () -> devices == 0 ? Policies.named(name) : Policies.named(name, devices));
        }
        int fractions = UserError.parsed("--split: ", () -> Policies.parseSplit(split)).length;
        if (devices > 0 && fractions != devices) {
            throw UserError.usage("--split '" + split + "' has " + fractions + " fractions, but " + devices
                    + (devices == 1 ? " device is" : " devices are") + " in use (see evener devices)");
        }
        return Policies.named("static:" + split);
    }

    /** Whether anything was asked for. */
    boolean given() {
        return policy != null || split != null || objective != null;
    }

    /** What the policy asked for keeps least. */
    Objective objective() {
        Policy asked = policy(0);
        return Stream.of(Objective.ENERGY, Objective.EDP)
                .filter(each -> Policies.adaptive(each).equals(asked))
                .findFirst()
                .orElse(Objective.TIME);
    }

    /** Whether it was asked for by this name. */
    boolean is(String name) {
        return split == null && name.equalsIgnoreCase(policy);
    }

    /** Whether one was asked for by its own option. */
    boolean hasObjective() {
        return objective != null;
    }

    /** Whether shares were asked for. */
    boolean isSplit() {
        return split != null;
    }

    /** What was asked for, as records name it. */
    String text() {
        return policy(0).name();
    }

    /** Checks what can be checked before any device is opened. */
    void check() {
        if (split != null && policy != null && !policy.equalsIgnoreCase("static")) {
            throw UserError.usage("--split goes with --policy static, not with --policy " + policy);
        }
        if (objective != null && (split != null || (policy != null && !policy.equalsIgnoreCase("adaptive")))) {
            throw UserError.usage(
                    "--objective is for --policy adaptive, not for " + (split != null ? "--split" : policy));
        }
        policy(0);
    }
}
