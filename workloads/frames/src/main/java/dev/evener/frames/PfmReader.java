package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decodes portable float maps: {@code PF} (RGB) and {@code Pf} (grey, replicated to three channels), rows from the bottom
 * of the picture up.
 *
 * <p>The sign of the scale in the header gives the byte order, negative for little-endian. Its magnitude is not applied:
 * it was meant as a unit of the values, nearly all writers give 1, and most readers ignore it. Values arrive bit for bit.
 *
 * <p>Format: Debevec's PFM as described by Netpbm and at pauldebevec.com/Research/HDR/PFM.
 *
 * @param size the frame's size
 * @param headerBytes where pixels start
 * @param grey whether there is one float per pixel instead of three
 * @param order the file's byte order
 */
record PfmReader(FrameLayout size, int headerBytes, boolean grey, ByteOrder order) implements FrameFile.Reader {
    private static final int PIECE = 8192;
    private static final String BETWEEN = "\\s(?:\\s|#[^\n]*+\n)*+"; // words: blanks, and comments as of Netpbm
    private static final Pattern WORDS = Pattern.compile(
            String.join(BETWEEN, "\\s*+(\\S{1,64}+)", "(\\S{1,64}+)", "(\\S{1,64}+)", "(\\S{1,64}+)(?=\\s)"));

    static PfmReader parse(Path file, byte[] head, int end, long fileLength) throws FrameException {
        String text = new String(head, 0, end, StandardCharsets.ISO_8859_1);
        Matcher words = WORDS.matcher(text);
        if (!words.lookingAt()) {
            throw new FrameException(
                    file,
                    "ends within its header, which has PF or Pf, a width, a height and a scale, of 64 bytes at most");
        }
        if (words.group(1).length() != 2) {
            throw new FrameException(file, "starts with '" + words.group(1) + "'; a PFM file starts with PF or Pf");
        }
        boolean grey = words.group(1).equals("Pf");
        long width = dimension(file, "width", words.group(2));
        long height = dimension(file, "height", words.group(3));
        FrameFile.checkSize(file, width, height);
        ByteOrder order = order(file, words.group(4));
        long needed = width * height * (grey ? 1 : 3) * Float.BYTES;
        // One byte of white space ends the header, and a byte of pixels may look like another: the file's length says
        // where they begin.
        int start = words.end() + 1;
        long longest = fileLength - needed;
        if (longest > start
                && longest <= end
                && text.substring(start - 1, (int) longest).matches(BETWEEN)) {
            start = (int) longest;
        }
        if (fileLength - start < needed) {
            throw new FrameException(
                    file,
                    "its header gives " + width + " x " + height + " pixels, which take " + needed + " bytes, but only "
                            + (fileLength - start) + " follow; it was cut short");
        }
        return new PfmReader(new FrameLayout((int) width, (int) height), start, grey, order);
    }

    /** Digits alone: parsers of the JDK also take signs, other scripts' digits and more. */
    private static long dimension(Path file, String what, String word) throws FrameException {
        if (!word.matches("[0-9]{1,18}")) {
            throw new FrameException(file, "its header gives a " + what + " of '" + word + "'; it must be a number");
        }
        return Long.parseLong(word);
    }

    private static ByteOrder order(Path file, String word) throws FrameException {
        double scale = Double.NaN;
        try {
            scale = Double.parseDouble(word);
        } catch (NumberFormatException e) {
            // Reported below, like a scale without a sign.
        }
        if (!(Math.abs(scale) > 0)) {
            throw new FrameException(
                    file,
                    "its header gives a scale of '" + word
                            + "'; it must be a number below 0 for little-endian or above 0 for big-endian floats");
        }
        return scale < 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    }

    @Override
    public void decode(Path file, FileWindow in, FrameFile.Pieces frame) throws IOException {
        FrameFile.PlanarTarget target = new FrameFile.PlanarTarget(frame, size);
        int width = size.width();
        int channels = grey ? 1 : 3;
        int most = Math.min(width, PIECE);
        float[] stored = new float[channels * most];
        float[] plane = new float[most];
        ByteBuffer bytes = ByteBuffer.wrap(in.bytes).order(order);
        for (int line = 0; line < size.height(); line++) {
            for (int from = 0; from < width; from += most) {
                int count = Math.min(most, width - from);
                int wanted = count * channels * Float.BYTES;
                if (in.require(wanted) < wanted) {
                    throw new FrameException(
                            file,
                            "row " + (line + 1) + " of " + size.height() + ", at byte " + in.offset()
                                    + ", ends early; the file was cut short");
                }
                bytes.clear().position(in.position).limit(in.position + wanted);
                bytes.asFloatBuffer().get(stored, 0, count * channels);
                in.position += wanted;
                for (int colour = 0; colour < 3; colour++) {
                    for (int i = 0, s = grey ? 0 : colour; i < count; i++, s += channels) {
                        plane[i] = stored[s];
                    }
                    target.put(colour, size.height() - 1 - line, from, count, plane);
                }
            }
        }
    }
}
