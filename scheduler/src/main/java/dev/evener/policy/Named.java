package dev.evener.policy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * A policy of a provider, as a text names it: in reports and records it goes by that text. Asked for a kind of job it gives the
 * provider's own. Immutable; any thread.
 */
final class Named implements Policy {
    /** Those that need no service, so that no embedder sees them; the baselines come through the door that plug-ins take. */
    private static final List<PolicyProvider> OWN = List.of(
            new SinglePolicy(),
            new StaticPolicy(),
            new HistoryPolicy(),
            new GuidedPolicy(),
            new StealingPolicy(),
            new AdaptivePolicy());

    private final PolicyProvider provider;
    private final PolicyProvider.Settings settings;
    private final String text;
    private final Policy first;
    private final boolean keepsState;

    private Named(PolicyProvider provider, PolicyProvider.Settings settings) {
        this.provider = provider;
        this.settings = settings;
        String set = settings.toString();
        this.text = provider.name()
                + (provider.version().isEmpty() ? "" : "@" + provider.version())
                + (set.isEmpty() ? "" : ":" + set);
        this.first = provider.create(settings);
        this.keepsState = !first.equals(provider.create(settings));
    }

    static Named of(PolicyProvider provider, Map<String, String> given) {
        return new Named(provider, new PolicyProvider.Settings(provider.parameters(), given));
    }

    static Named parse(String text) {
        String name = Policies.nameOf(text);
        String[] parts = text.split("[:/]", 2);
        String[] version = parts[0].split("@", 2);
        Map<String, String> twins = new LinkedHashMap<>();
        List<String> broken = new ArrayList<>();
        List<PolicyProvider> all = providers(twins, broken);
        if (twins.containsKey(name)) {
            throw new IllegalArgumentException(twins.get(name));
        }
        PolicyProvider found = all.stream()
                .filter(each -> each.name().equals(name)
                        && (version.length == 1 || each.version().equals(version[1].strip())))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(unknown(parts[0].strip(), name, all, broken)));
        try {
            return of(found, parts.length == 1 ? Map.of() : given(found, parts[1]));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("policy '" + shown(text) + "': " + e.getMessage(), e);
        }
    }

    private static String unknown(String asked, String name, List<PolicyProvider> all, List<String> broken) {
        String there = all.stream()
                .filter(each -> each.name().equals(name))
                .map(each -> ", of which version " + each.version() + " is here")
                .findFirst()
                .orElse("");
        String names = String.join(", ", all.stream().map(PolicyProvider::name).toList());
        return "unknown policy '" + shown(asked) + "'" + there + ": expected one of " + names
                + "; the jar of another goes on the class path, or after --plugins"
                + (broken.isEmpty() ? "" : " (not loaded: " + String.join("; ", broken) + ")");
    }

    private static String shown(String text) {
        return text.length() > 60 ? text.substring(0, 60) + "..." : text;
    }

    /** What has no name belongs to the parameter before it, as one more number, or at the beginning to the first. */
    private static Map<String, String> given(PolicyProvider provider, String list) {
        Map<String, String> given = new LinkedHashMap<>();
        String last = provider.parameters().isEmpty()
                ? ""
                : provider.parameters().get(0).name();
        for (String each : list.split(",", -1)) {
            String[] sides = each.split("=", 2);
            String value = sides[sides.length - 1].strip();
            last = sides.length == 1 ? last : sides[0].strip().toLowerCase(Locale.ROOT);
            if (last.isEmpty() || value.isEmpty()) {
                throw new IllegalArgumentException(
                        last.isEmpty() ? "there is nothing to set" : "'" + last + "' has no value");
            }
            if (sides.length == 2 && given.containsKey(last)) {
                throw new IllegalArgumentException("'" + last + "' is there twice");
            }
            given.merge(last, value, (before, more) -> before + "," + more);
        }
        return given;
    }

    /**
     * All that is found.
     *
     * @param twins told by their names which two are called alike
     * @param broken told, in a sentence each, what was named as a service and could not be loaded
     */
    static List<PolicyProvider> providers(Map<String, String> twins, List<String> broken) {
        Map<String, PolicyProvider> found = new LinkedHashMap<>();
        OWN.forEach(own -> found.put(own.name(), own));
        List<ServiceLoader<PolicyProvider>> loaders = new ArrayList<>();
        loaders.add(ServiceLoader.load(PolicyProvider.class, PolicyProvider.class.getClassLoader()));
        loaders.add(ServiceLoader.load(PolicyProvider.class)); // by the thread's context class loader
        for (ServiceLoader<PolicyProvider> loader : loaders) {
            for (var each = loader.iterator(); ; ) {
                try {
                    if (!each.hasNext()) {
                        break;
                    }
                    PolicyProvider provider = each.next();
                    PolicyProvider before = found.putIfAbsent(provider.name(), provider);
                    if (before != null && before.getClass() != provider.getClass()) {
                        twins.put(
                                provider.name(),
                                "two policies are called '" + provider.name() + "': "
                                        + before.getClass().getName() + " and "
                                        + provider.getClass().getName());
                    }
                } catch (ServiceConfigurationError | LinkageError e) { // one that is broken hides no other
                    String message = e instanceof LinkageError ? e.toString() : String.valueOf(e.getMessage());
                    if (!broken.contains(message)) { // by both loaders
                        broken.add(message);
                    }
                }
            }
        }
        return List.copyOf(found.values());
    }

    PolicyProvider provider() {
        return provider;
    }

    PolicyProvider.Settings settings() {
        return settings;
    }

    @Override
    public String name() {
        return text;
    }

    @Override
    public Policy forKind() {
        return keepsState ? provider.create(settings) : first;
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        return first.plan(snapshot);
    }

    @Override
    public long chunk(Progress progress, int lane) {
        return first.chunk(progress, lane);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Named named
                && named.text.equals(text)
                && named.provider.getClass() == provider.getClass();
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
