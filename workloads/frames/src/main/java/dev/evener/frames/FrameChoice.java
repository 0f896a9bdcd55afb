package dev.evener.frames;

import dev.evener.kernels.tonemap.Primaries;
import org.jspecify.annotations.Nullable;

/**
 * What of a file is to be mapped, and how it is understood.
 *
 * @param layer as {@link FrameFile#layer(String)} takes it; null for the one that shows the picture best
 * @param primaries as {@link FrameFile#in} takes them; null for those that the file says
 * @param partial whether files are shown {@linkplain FrameFile#partial as far as they go}
 * @param alpha whether alpha is {@linkplain FrameFile#withAlpha read}, for formats that
 * {@linkplain PictureFormat#hasAlpha have it}
 */
public record FrameChoice(@Nullable String layer, @Nullable Primaries primaries, boolean partial, boolean alpha) {
    /** What each file says itself. */
    public static final FrameChoice NONE = new FrameChoice(null, null);

    /** Of whole files. */
    public FrameChoice(@Nullable String layer, @Nullable Primaries primaries) {
        this(layer, primaries, false, false);
    }

    /**
     * The file with that.
     *
     * @throws FrameException if it has no such layer
     */
    public FrameFile of(FrameFile file) throws FrameException {
        FrameFile layered = layer == null ? file : file.layer(layer);
        FrameFile understood = primaries == null ? layered : layered.in(primaries);
        FrameFile shown = partial ? understood.partial() : understood;
        return alpha ? shown.withAlpha() : shown;
    }
}
