package dev.evener.policy;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A kind of policy that is found by name, as all of Evener's are: a public class with a public constructor without parameters, named in
 * {@code META-INF/services/dev.evener.policy.PolicyProvider} of its jar, or {@code provides} in its module. {@link Policies#named} finds it
 * on the class path and in the thread's context class loader; the command line also in the jars of {@code --plugins}. docs/policies.md has
 * an example. Any thread may call it.
 */
public interface PolicyProvider {

    /** What it is asked for by: small letters, digits and hyphens. */
    String name();

    /** Which version it is, kept in records so that a replay is by the same; empty for one that comes with Evener. */
    default String version() {
        return "";
    }

    /** What it does, in a line. */
    String description();

    /** What can be set, the one that is set most often first: that needs no name in a text. */
    default List<Parameter> parameters() {
        return List.of();
    }

    /**
     * A policy. Called for each kind of job, whose history on one set of devices the policy may keep state for. Policies that are equal for
     * equal settings, as records are, are taken to keep none, and one of them is used for all jobs.
     *
     * @throws IllegalArgumentException if the settings do not go together, saying why
     */
    Policy create(Settings settings);

    /**
     * Finds settings that are for another number of lanes, before a job is submitted.
     *
     * @throws IllegalArgumentException that says for how many they are, such as "for 3 devices, not for 2"
     */
    default void check(Settings settings, int lanes) {}

    /** What a parameter holds. */
    enum Type {
        /** A whole number. */
        WHOLE,
        /** Any finite number. */
        NUMBER,
        /** Finite numbers, one or more. */
        NUMBERS,
        /** Anything without a comma. */
        TEXT
    }

    /**
     * Something that can be set.
     *
     * @param name small letters, digits and hyphens
     * @param type what it holds
     * @param least number, of each where it is several
     * @param most number
     * @param usual what it is where nothing is said; empty if it is not set then
     * @param description what it does, in a line
     */
    record Parameter(String name, Type type, double least, double most, String usual, String description) {
        /** A whole number from {@code least} on. */
        public static Parameter whole(String name, int least, String usual, String description) {
            return new Parameter(name, Type.WHOLE, least, Integer.MAX_VALUE, usual, description);
        }

        private void check(String text) {
            for (String each : type == Type.NUMBERS ? text.split(",", -1) : new String[] {text}) {
                double value = type == Type.TEXT ? least : number(each);
                if (!(value >= least && value <= most) || (type == Type.WHOLE && value != Math.rint(value))) {
                    throw new IllegalArgumentException(String.format(
                            Locale.ROOT,
                            "%s: '%s' is no %s from %s to %s",
                            name,
                            each,
                            type == Type.WHOLE ? "whole number" : "number",
                            plain(least),
                            plain(most)));
                }
            }
        }

        private static double number(String text) {
            try {
                return Double.parseDouble(text);
            } catch (NumberFormatException e) {
                return Double.NaN;
            }
        }

        private static String plain(double value) {
            return value == Math.rint(value) && Math.abs(value) < 1e15
                    ? String.valueOf((long) value)
                    : String.valueOf(value);
        }
    }

    /** Values of a provider's parameters, checked against their types and ranges. Immutable; any thread. */
    final class Settings {
        private final List<Parameter> parameters;
        private final Map<String, String> given;

        Settings(List<Parameter> parameters, Map<String, String> given) {
            this.parameters = List.copyOf(parameters);
            this.given = Map.copyOf(given);
            this.given.forEach((name, text) -> of(name).check(text));
        }

        private Parameter of(String name) {
            return parameters.stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("there is no parameter '" + name
                            + (parameters.isEmpty() ? "', nor any other" : "': expected one of " + names())));
        }

        private List<String> names() {
            return parameters.stream().map(Parameter::name).toList();
        }

        /** What was given, or else is usual. */
        public String text(String name) {
            return given.getOrDefault(name, of(name).usual());
        }

        /** Whether it has a value. */
        public boolean has(String name) {
            return !text(name).isEmpty();
        }

        /** A whole number. */
        public int whole(String name) {
            return (int) number(name);
        }

        /** A number. */
        public double number(String name) {
            return Double.parseDouble(text(name));
        }

        /** Numbers; none if it has no value. */
        public double[] numbers(String name) {
            return has(name)
                    ? List.of(text(name).split(",")).stream()
                            .mapToDouble(Double::parseDouble)
                            .toArray()
                    : new double[0];
        }

        /** What was given, as {@link Policies#named} reads it: the first parameter without its name. */
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            for (Parameter each : parameters) {
                String value = given.get(each.name());
                if (value != null) {
                    text.append(text.isEmpty() ? "" : ",")
                            .append(each.name().equals(parameters.get(0).name()) ? "" : each.name() + "=")
                            .append(value);
                }
            }
            return text.toString();
        }
    }
}
