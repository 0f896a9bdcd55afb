package dev.evener.kernels.image;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Grey images for tests: edge sizes, and kinds of content. */
final class Images {
    /** What an image shows. */
    enum Kind {
        NOISE(true),
        CONSTANT(false),
        RAMP(true),
        CHECKERBOARD(false),
        SHAPES(true),
        MEANDER(false);

        /** Splits the kinds in two halves. */
        final boolean even;

        Kind(boolean even) {
            this.even = even;
        }
    }

    /** The last is wide enough for GPU tiles and CPU blocks, and 128-byte rows can be cut anywhere. */
    static final List<ImageSize> SIZES = List.of(
            new ImageSize(1, 0),
            new ImageSize(1, 1),
            new ImageSize(1, 40),
            new ImageSize(40, 1),
            new ImageSize(7, 5),
            new ImageSize(33, 129),
            new ImageSize(64, 64),
            new ImageSize(257, 61),
            new ImageSize(384, 70));

    private Images() {}

    /** Every size, with kinds in turn. */
    static List<Image> all() {
        List<Image> all = new ArrayList<>();
        for (int i = 0; i < SIZES.size(); i++) {
            ImageSize size = SIZES.get(i);
            if (size.pixels() < 50) {
                all.add(new Image(size, Kind.NOISE));
                continue;
            }
            for (Kind kind : Kind.values()) {
                if (i >= SIZES.size() - 2 || kind.even == (i % 2 == 0)) {
                    all.add(new Image(size, kind));
                }
            }
        }
        return all;
    }

    /** An image that can be made again. */
    record Image(ImageSize size, Kind kind) {
        byte[] pixels() {
            Random random = new Random(size.width() * 31L + size.height());
            byte[] pixels = new byte[size.pixels()];
            for (int y = 0; y < size.height(); y++) {
                for (int x = 0; x < size.width(); x++) {
                    pixels[y * size.width() + x] = (byte) at(x, y, random);
                }
            }
            return pixels;
        }

        private int at(int x, int y, Random random) {
            return switch (kind) {
                case NOISE -> random.nextInt(256);
                case CONSTANT -> 77;
                case RAMP -> (x * 3 + y * 2) & 255;
                case CHECKERBOARD -> (x / 5 + y / 5) % 2 == 0 ? 20 : 230;
                case SHAPES -> {
                    int dx = x - size.width() / 2;
                    int dy = y - size.height() / 2;
                    int base = dx * dx + dy * dy < 400 ? 180 : 60;
                    yield base + random.nextInt(25) + (x > y ? 15 : 0);
                }
                case MEANDER -> meander(x, y);
            };
        }

        /**
         * A faint edge that swings up and down across the image, and is strong at its left end alone: hysteresis has to
         * follow it all the way from there.
         */
        private int meander(int x, int y) {
            double swing = Math.min((size.height() - 12) / 2.0, 40) * StrictMath.sin(2 * Math.PI * x / 24);
            return y > size.height() / 2.0 + swing ? 70 + Math.max(0, 150 - 10 * x) : 40;
        }

        @Override
        public String toString() {
            return kind + " " + size;
        }
    }
}
