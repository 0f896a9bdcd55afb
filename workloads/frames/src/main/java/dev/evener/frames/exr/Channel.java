package dev.evener.frames.exr;

/**
 * A channel of a part: its name with its layer, {@code light.left.R}; its type; whether lossy codes work on its values as they are; and
 * for how many columns and rows it has a sample.
 */
public record Channel(String name, int type, boolean linear, int across, int down) {
    static final int UINT = 0;
    static final int HALF = 1;
    static final int FLOAT = 2;

    /** Of a sample. */
    public int bytes() {
        return type == HALF ? Short.BYTES : Integer.BYTES;
    }

    /** Equal for channels that have samples for the same pixels. */
    long sampling() {
        return ((long) across << Integer.SIZE) | down;
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
