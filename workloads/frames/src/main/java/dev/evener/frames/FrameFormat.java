package dev.evener.frames;

/** The file formats that frames are read from, told apart by their first bytes and never by the file's name. */
public enum FrameFormat {
    /** Radiance picture, four bytes a pixel, {@code .hdr} or {@code .pic}. */
    RADIANCE("Radiance"),
    /** Portable float map, colour or grey, {@code .pfm}. */
    PFM("PFM");

    private final String title;

    FrameFormat(String title) {
        this.title = title;
    }

    /** The name people know it by. */
    public String title() {
        return title;
    }
}
