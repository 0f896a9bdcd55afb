package dev.evener.frames;

import dev.evener.kernels.png.PngEncoder;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.PictureRows.Layout;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What pictures are written as. Devices make the bytes of all of them. */
public enum PictureFormat {
    /** PNG, compressed. */
    PNG(Layout.RGB),
    /** Netpbm's P6: a line of text with the size, then red, green and blue of each pixel. */
    PPM(Layout.RGB),
    /** Red, green, blue and 255 of each pixel, a byte each, rows from top to bottom, and nothing else. */
    RAW(Layout.RGBA),
    /** A stream of all frames for video encoders, YUV4MPEG2: 8 bits, 4:2:0 with chroma in the middle of four pixels, Rec. 709, full range. */
    Y4M(Layout.YUV420);

    final Layout layout;

    PictureFormat(Layout layout) {
        this.layout = layout;
    }

    /** Its name on the command line, and the ending of its files. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The format of this name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the names
     */
    public static PictureFormat parse(String text) {
        for (PictureFormat each : values()) {
            if (each.text().equals(text)) {
                return each;
            }
        }
        String names = Arrays.stream(values()).map(PictureFormat::text).collect(Collectors.joining(", "));
        throw new IllegalArgumentException("there is no format '" + text + "'; choose one of " + names);
    }

    /** Bytes that a picture of this size may take on devices. */
    public long mostBytes(FrameLayout size) {
        return this == PNG
                ? PngEncoder.mostBytes(size.width(), size.height())
                : (long) layout.pitch(size.width()) * size.height();
    }
}
