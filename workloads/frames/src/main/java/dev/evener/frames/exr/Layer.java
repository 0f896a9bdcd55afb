package dev.evener.frames.exr;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.DataFormatException;

/**
 * Channels that make a picture: red, green and blue, -1 for black, or where {@code chroma} luminance, and red and blue
 * less it over it; and alpha, -1 for none.
 * The name is the part's where there are several, then what the channels' names begin with, the prefix. The less the rank, the better it
 * shows the picture: colours or luminance before other channels, then what is said to be the picture, which is what
 * has no name or a renderer's name for it, then what a part has without a name. Of those alike, colours are before
 * luminance, alpha before none, and the first before others. Immutable; any thread.
 */
public record Layer(String name, int part, String prefix, List<Integer> channels, int alpha, boolean chroma, int rank) {
    /** Names of components, in any case, that together are red, green and blue. */
    private static final List<List<String>> COLOURS =
            List.of(List.of("r", "g", "b"), List.of("red", "green", "blue"), List.of("x", "y", "z"));

    /** What renderers and compositors call the picture itself, in any case, the surest first. */
    private static final List<String> PICTURES = List.of("combined", "composite", "beauty", "c", "ci", "rgba");

    private static final int MEANINGLESS = 2 * PICTURES.size() + 1;

    /** Ranks that differ by less are alike but for what is shown best of them. */
    private static final int ALIKE = 4;

    /** From here on are layers of neither colours nor luminance. */
    private static final int OTHERS = 2 * ALIKE * (MEANINGLESS + 1);

    /** All layers of all parts, in their order. Deep parts have none. */
    private static List<Layer> of(List<Part> parts) {
        List<Layer> layers = new ArrayList<>();
        for (int p = 0; p < parts.size(); p++) {
            Map<String, List<Integer>> groups = new LinkedHashMap<>();
            List<Channel> channels = parts.get(p).channels();
            for (int c = 0; c < channels.size(); c++) {
                groups.computeIfAbsent(channels.get(c).layer(), prefix -> new ArrayList<>())
                        .add(c);
            }
            for (Map.Entry<String, List<Integer>> group : groups.entrySet()) {
                boolean only = parts.size() > 1 && groups.size() == 1;
                String name = full(parts, p, only ? "" : group.getKey());
                layers.add(of(channels, p, name, group.getKey(), group.getValue()));
            }
        }
        return layers;
    }

    private static String full(List<Part> parts, int part, String rest) {
        String name = parts.size() > 1 ? parts.get(part).name() : "";
        return name + (name.isEmpty() || rest.isEmpty() ? "" : ".") + rest;
    }

    private static Layer of(List<Channel> channels, int part, String name, String prefix, List<Integer> group) {
        Map<String, Integer> components = new LinkedHashMap<>();
        for (int c : group) {
            components.putIfAbsent(channels.get(c).component().toLowerCase(Locale.ROOT), c);
        }
        int alpha = components.getOrDefault("a", -1);
        int rank = ALIKE * (2 * meaning(name) + (prefix.isEmpty() ? 0 : 1)) + (alpha >= 0 ? 0 : 1);
        for (List<String> colours : COLOURS) {
            List<Integer> three =
                    colours.stream().map(n -> components.getOrDefault(n, -1)).toList();
            long missing = three.stream().filter(c -> c < 0).count();
            boolean place = colours.contains("x");
            if (missing == 0 || (missing == 1 && !place)) {
                return new Layer(name, part, prefix, three, alpha, false, place ? OTHERS + rank : rank);
            }
        }
        Integer y = components.get("y");
        if (y != null) {
            Integer red = components.get("ry");
            Integer blue = components.get("by");
            return red == null || blue == null
                    ? grey(name, part, prefix, y, alpha, rank + 2)
                    : new Layer(name, part, prefix, List.of(y, red, blue), alpha, true, rank + 2);
        }
        // Any one but alpha, if there is another; of several the first, which then is named.
        List<Integer> others = new ArrayList<>(components.values());
        if (others.size() > 1) {
            others.remove(components.get("a"));
        }
        String shown = others.size() == 1 ? "" : channels.get(others.get(0)).component();
        String dot = name.isEmpty() || shown.isEmpty() ? "" : ".";
        int with = others.get(0) == alpha ? -1 : alpha;
        return grey(name + dot + shown, part, prefix, others.get(0), with, (1 + others.size()) * OTHERS + rank);
    }

    /**
     * 0 for what is the picture; more the less sure that is. What has several of the names is surer than what has
     * one.
     */
    private static int meaning(String name) {
        List<String> words = List.of(name.toLowerCase(Locale.ROOT).split("\\.", -1));
        for (int i = 0; i < PICTURES.size(); i++) {
            if (words.contains(PICTURES.get(i))) {
                return 2 * i + (words.stream().filter(PICTURES::contains).count() > 1 ? 1 : 2);
            }
        }
        return name.isEmpty() ? 0 : MEANINGLESS;
    }

    private static Layer grey(String name, int part, String prefix, int channel, int alpha, int rank) {
        return new Layer(name, part, prefix, List.of(channel, channel, channel), alpha, false, rank);
    }

    /** The one that shows the picture best. */
    public static Layer best(List<Part> parts) throws DataFormatException {
        return of(parts).stream().min(Comparator.comparingInt(Layer::rank)).orElseThrow(Layer::deep);
    }

    /** The names of all that might as well be the picture as this one; empty if it is not {@link #best} by a guess. */
    public List<String> rivals(List<Part> parts) {
        List<Layer> alike =
                of(parts).stream().filter(l -> l.rank / ALIKE == rank / ALIKE).toList();
        return alike.size() == 1 ? List.of() : alike.stream().map(Layer::name).toList();
    }

    private static DataFormatException deep() {
        return new DataFormatException(
                "holds deep pixels, which are not read; flatten them, as with 'oiiotool FILE --flatten -o NEW.exr'");
    }

    /** The one of a name: a layer's, a part's, a layer's without its part, or a channel's. */
    public static Layer named(List<Part> parts, String name) throws DataFormatException {
        List<Layer> layers = of(parts);
        Map<String, Layer> all = new LinkedHashMap<>();
        layers.forEach(layer -> all.putIfAbsent(layer.name, layer));
        layers.forEach(layer -> all.putIfAbsent(parts.get(layer.part).name(), layer));
        layers.forEach(layer -> all.putIfAbsent(layer.prefix, layer));
        for (int p = 0; p < parts.size(); p++) {
            List<Channel> channels = parts.get(p).channels();
            for (int c = 0; c < channels.size(); c++) {
                String channel = channels.get(c).name();
                all.putIfAbsent(full(parts, p, channel), grey(full(parts, p, channel), p, "", c, -1, 0));
                all.putIfAbsent(channel, grey(channel, p, "", c, -1, 0));
            }
        }
        Layer found = all.get(name);
        if (found == null
                && parts.stream().anyMatch(part -> part.deep() && part.name().equals(name))) {
            throw deep();
        }
        if (found == null) {
            String names = layers.stream()
                    .map(layer -> layer.name.isEmpty() ? "one without a name" : "'" + layer.name + "'")
                    .collect(Collectors.joining(", "));
            throw new DataFormatException(
                    "has no layer '" + name + "'; there " + (layers.size() == 1 ? "is " : "are ") + names);
        }
        return found;
    }

    /** Finds what is wrong with the sampling of the channels of its part. */
    public void check(Part of) throws DataFormatException {
        for (int c = 0; c < of.channels().size(); c++) {
            Channel channel = of.channels().get(c);
            int across = channel.across();
            int down = channel.down();
            int whole = of.tiles() != null || (chroma && c == channels.get(0)) ? 1 : 2; // of those that may be no other
            boolean bound = of.tiles() != null || (chroma && channels.contains(c));
            boolean fits = bound ? across == whole && down == whole : across > 0 && down > 0;
            fits = fits && of.data().isWhole(across, down);
            if (!fits) {
                throw new DataFormatException("its channel " + channel.name() + " has one sample for " + across + " x "
                        + down + " pixels, which does not fit its dataWindow, its tiles, or luminance and chroma");
            }
        }
    }
}
