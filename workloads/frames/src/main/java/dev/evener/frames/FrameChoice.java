package dev.evener.frames;

import dev.evener.kernels.tonemap.Primaries;
import org.jspecify.annotations.Nullable;

/**
 * What of a file is to be mapped, and how it is understood.
 *
 * @param layer as {@link FrameFile#layer(String)} takes it; null for the one that shows the picture best
 * @param primaries as {@link FrameFile#in} takes them; null for those that the file says
 */
public record FrameChoice(@Nullable String layer, @Nullable Primaries primaries) {
    /** What each file says itself. */
    public static final FrameChoice NONE = new FrameChoice(null, null);

    /**
     * The file with that.
     *
     * @throws FrameException if it has no such layer
     */
    public FrameFile of(FrameFile file) throws FrameException {
        FrameFile layered = layer == null ? file : file.layer(layer);
        return primaries == null ? layered : layered.in(primaries);
    }
}
