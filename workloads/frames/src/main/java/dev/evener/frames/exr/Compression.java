package dev.evener.frames.exr;

/** How chunks are compressed, in the order of the format's codes. */
public enum Compression {
    NONE(1, 1),
    RLE(1, 64),
    ZIPS(1, 1100),
    ZIP(16, 1100),
    PIZ(32, 520),
    PXR24(16, 1500),
    B44(32, 11),
    B44A(32, 11),
    DWAA(32, 1 << 16),
    DWAB(256, 1 << 16);

    /** Rows of a chunk of scanlines. */
    public final int rows;

    /**
     * A byte stands for at most so many: for runs of 128 in two bytes, Deflate's limit (4/3 of it for 24 bits), 256 values in nine bits,
     * 16 halves in three bytes; a repeated byte of Deflate for 64 values and more.
     */
    public final int most;

    Compression(int rows, int most) {
        this.rows = rows;
        this.most = most;
    }
}
