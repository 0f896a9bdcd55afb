package dev.evener.workloads.cli.report;

import dev.evener.Evener;
import dev.evener.ManagedBuffer;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameFile;
import dev.evener.frames.FrameJob;
import dev.evener.frames.LoadedFrame;
import dev.evener.frames.PictureFormat;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tuning.Tuning;
import java.awt.image.BufferedImage;
import java.nio.IntBuffer;
import java.util.List;

/** One frame as every operator maps it, side by side, with the operators' names. Stateless. */
public final class ContactSheet {
    private static final int COLUMNS = 3;
    private static final int MOST = 480; // pixels across a picture
    private static final int GAP = 8;
    private static final int LABEL = 32;
    private static final int GROUND = 0x202020;
    private static final int INK = 0xe0e0e0;

    /** Letters of 5 x 7 dots, which need no fonts on the machine: a digit to the base of 32 for each row. */
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-";

    private static final String DOTS =
            "00e1fhfgguhhhu00fgggf11fhhhf00ehvge68u88880fhhf1egguhhhh40c444e20622icgikokihc44444e00qllll00uhhhh00ehhhe"
                    + "0uhhugg0fhhf1100mpggg00fge1u88u888600hhhhf00hhha400lllla00ha4ah0hhhf1e00v248vehjlphe4c4444eeh168gvu11e11u"
                    + "26aiv22vgu11heegguhhev124444ehhehheehhf11e000e000";

    private ContactSheet() {}

    /**
     * Maps the frame with each of these, which have 8 bits.
     *
     * @throws FrameException if it cannot be read
     */
    public static BufferedImage of(Evener evener, FrameFile file, List<ToneMapSettings> all, Tuning tuning)
            throws FrameException {
        FrameLayout size = file.size();
        int width = Math.min(MOST, size.width());
        int height = Math.max(1, (int) (size.height() / size.pixelAspect() * width / size.width()));
        int rows = (all.size() + COLUMNS - 1) / COLUMNS;
        BufferedImage sheet = new BufferedImage(
                COLUMNS * (width + GAP) + GAP, rows * (height + LABEL) + GAP, BufferedImage.TYPE_3BYTE_BGR);
        fill(sheet, 0, 0, sheet.getWidth(), sheet.getHeight(), GROUND);
        try (FrameJob work = new FrameJob(Allocator.of(evener), tuning, PictureFormat.RAW);
                LoadedFrame frame = new LoadedFrame(file, PictureFormat.RAW, evener).decode()) {
            for (int i = 0; i < all.size(); i++) {
                evener.submit(frame.job(work, all.get(i))).join();
                int left = GAP + i % COLUMNS * (width + GAP);
                int top = GAP + i / COLUMNS * (height + LABEL);
                try (ManagedBuffer.Scope scope = frame.pixels().read()) {
                    shrink(scope.ints(), size, sheet, left, top, width, height);
                }
                write(sheet, left, top + height + 6, all.get(i).operator().commandLineName());
            }
        }
        return sheet;
    }

    /** Each pixel is the mean of those that it stands for. */
    private static void shrink(
            IntBuffer pixels, FrameLayout size, BufferedImage sheet, int left, int top, int width, int height) {
        for (int y = 0; y < height; y++) {
            int firstRow = (int) ((long) y * size.height() / height);
            int lastRow = Math.max(firstRow + 1, (int) ((y + 1L) * size.height() / height));
            for (int x = 0; x < width; x++) {
                int first = (int) ((long) x * size.width() / width);
                int last = (int) ((x + 1L) * size.width() / width);
                int[] sums = new int[3];
                for (int row = firstRow; row < lastRow; row++) {
                    for (int column = first; column < last; column++) {
                        int word = pixels.get(row * size.stride() + column);
                        for (int c = 0; c < 3; c++) {
                            sums[c] += (word >> (8 * c)) & 0xff;
                        }
                    }
                }
                int n = (lastRow - firstRow) * (last - first);
                sheet.setRGB(left + x, top + y, ((sums[0] / n) << 16) | ((sums[1] / n) << 8) | (sums[2] / n));
            }
        }
    }

    private static void write(BufferedImage sheet, int left, int top, String name) {
        for (int i = 0; i < name.length(); i++) {
            int letter = LETTERS.indexOf(name.charAt(i));
            for (int dot = 0; letter >= 0 && dot < 35; dot++) {
                int row = Character.digit(DOTS.charAt(7 * letter + dot / 5), 32);
                int x = left + 12 * i + 2 * (dot % 5);
                if ((row & (16 >> (dot % 5))) != 0 && x + 2 <= sheet.getWidth()) {
                    fill(sheet, x, top + 2 * (dot / 5), 2, 2, INK);
                }
            }
        }
    }

    private static void fill(BufferedImage sheet, int left, int top, int width, int height, int colour) {
        for (int i = 0; i < width * height; i++) {
            sheet.setRGB(left + i % width, top + i / width, colour);
        }
    }
}
