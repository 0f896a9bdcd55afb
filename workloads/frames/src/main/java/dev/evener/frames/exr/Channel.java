package dev.evener.frames.exr;

/**
 * A channel of a part.
 *
 * @param name with its layer, {@code light.left.R}
 * @param type {@link #UINT}, {@link #HALF} or {@link #FLOAT}
 * @param linear whether lossy codes work on its values as they are
 * @param across has a sample for so many columns
 * @param down and for so many rows
 */
public record Channel(String name, int type, boolean linear, int across, int down) {
    static final int UINT = 0;
    static final int HALF = 1;
    static final int FLOAT = 2;

    /** Of a sample. */
    public int bytes() {
        return type == HALF ? Short.BYTES : Integer.BYTES;
    }

    /** The name up to its last dot, without it; empty if there is none. */
    String layer() {
        return name.substring(0, Math.max(0, name.lastIndexOf('.')));
    }

    /** The name after its last dot. */
    String component() {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
