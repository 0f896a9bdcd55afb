package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What size pictures have: pixels across and down, of which one may be 0 to keep the frame's shape, or hundredths of
 * the frame's.
 *
 * @param width 0 for what keeps the shape
 * @param height the same
 * @param percent of the frame's width and height; 0 if pixels are given
 */
public record PictureSize(int width, int height, double percent) {
    private static final Pattern PIXELS = Pattern.compile("(\\d{0,7})[x×](\\d{0,7})");
    private static final Pattern PERCENT = Pattern.compile("(\\d{1,6}(?:\\.\\d{1,6})?)%");

    /**
     * The size of a text such as {@code 1920x1080}, {@code 1920x}, {@code x1080} or {@code 50%}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static PictureSize parse(String text) {
        Matcher pixels = PIXELS.matcher(text);
        Matcher percent = PERCENT.matcher(text);
        if (percent.matches() && Double.parseDouble(percent.group(1)) > 0) {
            return new PictureSize(0, 0, Double.parseDouble(percent.group(1)));
        }
        if (pixels.matches()) {
            int width = number(pixels.group(1));
            int height = number(pixels.group(2));
            if (Math.min(width, height) >= 0 && Math.max(width, height) > 0) {
                return new PictureSize(width, height, 0);
            }
        }
        throw new IllegalArgumentException(
                "'" + text + "' is no size such as 1920x1080, 1920x or x1080, which keep the shape, or 50%");
    }

    /** 0 where nothing is said, -1 where it is 0. */
    private static int number(String digits) {
        return digits.isEmpty() ? 0 : Integer.parseInt(digits) == 0 ? -1 : Integer.parseInt(digits);
    }

    /**
     * The size of a frame's picture. Its pixels have the aspect with which it is displayed in the frame's shape; where
     * that is the frame's but for rounding to whole pixels, exactly this.
     *
     * @throws IllegalArgumentException if the frame cannot have that size
     */
    public FrameLayout of(FrameLayout frame) {
        double across = percent > 0 ? percent / 100 : (double) width / frame.width();
        double down = percent > 0 ? percent / 100 : (double) height / frame.height();
        int w = width > 0 ? width : rounded(frame.width(), percent > 0 ? across : down);
        int h = height > 0 ? height : rounded(frame.height(), percent > 0 ? down : across);
        String problem = FrameLayout.problem(w, h);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        boolean sameShape = w == rounded(frame.width(), (double) h / frame.height())
                || h == rounded(frame.height(), (double) w / frame.width());
        double shape = (double) frame.width() / w * h / frame.height();
        return new FrameLayout(w, h).withPixelAspect(frame.pixelAspect() * (sameShape ? 1 : shape));
    }

    private static int rounded(int size, double factor) {
        return (int) Math.max(1, Math.rint(size * factor));
    }
}
