package dev.evener.kernels.image;

import dev.evener.JvmKernel;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;

/** The Java form of {@code canny.cl}: arguments in the kernels' order. Stateless. */
final class CannyJvm {
    /** Rows that are worked on at once, so that what lies between the steps stays small. */
    private static final int STRIP = 64;

    private CannyJvm() {}

    /** Argument 0 the grey rows with four on either side, 2 the classes. */
    static JvmKernel classes(ImageSize size, int low, int high) {
        return chunk -> {
            for (int first = 0; first < chunk.units(); first += STRIP) {
                int rows = Math.min(STRIP, chunk.units() - first);
                new Strip(size, (int) chunk.firstUnit() + first, rows)
                        .classify(
                                chunk.buffer(0),
                                chunk.viewStart(0) + first * size.width(),
                                chunk.buffer(2),
                                first,
                                low,
                                high);
            }
        };
    }

    /** Argument 0 the classes, 1 the labels. Chunks begin with a tile. */
    static JvmKernel link(CannyTiles tiles) {
        int width = tiles.width();
        return chunk -> {
            byte[] classes = new byte[tiles.tall() * width];
            int[] labels = new int[classes.length];
            for (int first = 0; first < chunk.units(); first += tiles.tall()) {
                int rows = Math.min(tiles.tall(), chunk.units() - first);
                chunk.buffer(0).get(first * width, classes, 0, rows * width);
                label(classes, labels, rows, width);
                IntBuffer out = chunk.buffer(1).asIntBuffer();
                out.put(first * width, labels, 0, rows * width);
            }
        };
    }

    /** Argument 0 the classes, 1 the labels, 2 what the host said, 3 the edges. Chunks begin with a tile. */
    static JvmKernel trace(CannyTiles tiles) {
        int width = tiles.width();
        return chunk -> {
            ByteBuffer classes = chunk.buffer(0);
            IntBuffer labels = chunk.buffer(1).asIntBuffer();
            ByteBuffer kept = chunk.buffer(2);
            byte[] edges = new byte[tiles.tall() * width];
            boolean[] roots = new boolean[edges.length];
            for (int first = 0; first < chunk.units(); first += tiles.tall()) {
                int pixels = Math.min(tiles.tall(), chunk.units() - first) * width;
                int at = first * width;
                int told = (int) ((chunk.firstUnit() + first) / tiles.tall()) * 2 * width;
                for (int i = 0; i < pixels; i++) {
                    roots[i] = classes.get(at + i) != 0 && labels.get(at + i) == (i | CannyTiles.STRONG_COMPONENT);
                }
                for (int x = 0; x < width; x++) {
                    if (kept.get(told + x) != 0) {
                        roots[labels.get(at + x) & CannyTiles.LABEL] = true;
                    }
                    if (kept.get(told + width + x) != 0) {
                        roots[labels.get(at + pixels - width + x) & CannyTiles.LABEL] = true;
                    }
                }
                for (int i = 0; i < pixels; i++) {
                    boolean edge = classes.get(at + i) != 0 && roots[labels.get(at + i) & CannyTiles.LABEL];
                    edges[i] = (byte) (edge ? 255 : 0);
                }
                chunk.buffer(3).put(at, edges, 0, pixels);
            }
        };
    }

    /** Labels of one tile's edge pixels. */
    private static void label(byte[] classes, int[] labels, int rows, int width) {
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < width; x++) {
                int i = y * width + x;
                if (classes[i] == 0) {
                    labels[i] = 0; // as good as any
                    continue;
                }
                labels[i] = i;
                if (x > 0) {
                    joinWith(classes, labels, i, i - 1);
                }
                for (int n = Math.max(0, x - 1); y > 0 && n <= Math.min(width - 1, x + 1); n++) {
                    joinWith(classes, labels, i, (y - 1) * width + n);
                }
            }
        }
        for (int i = 0; i < rows * width; i++) {
            if (classes[i] != 0) {
                labels[i] = labels[labels[i]]; // those before it are done
            }
        }
        for (int i = 0; i < rows * width; i++) {
            if (classes[i] == CannyTiles.STRONG) {
                labels[labels[i] & CannyTiles.LABEL] |= CannyTiles.STRONG_COMPONENT;
            }
        }
    }

    private static void joinWith(byte[] classes, int[] labels, int i, int neighbour) {
        if (classes[neighbour] != 0) {
            int a = root(labels, i);
            int b = root(labels, neighbour);
            labels[Math.max(a, b)] = Math.min(a, b);
        }
    }

    private static int root(int[] labels, int start) {
        int i = start;
        while (labels[i] != i) {
            labels[i] = labels[labels[i]];
            i = labels[i];
        }
        return i;
    }

    /** Some rows of the image and what is computed for the rows around them. */
    private static final class Strip {
        private final int width;
        private final int height;
        private final int first;
        private final int rows;

        Strip(ImageSize size, int first, int rows) {
            this.width = size.width();
            this.height = size.height();
            this.first = first;
            this.rows = rows;
        }

        void classify(ByteBuffer view, int viewStart, ByteBuffer out, int outRow, int low, int high) {
            int[][] along = new int[rows + 8][]; // from row first - 4 on; rows beyond the image are those at its edge
            for (int r = 0; r < along.length; r++) {
                along[r] = smoothAlong(view, viewStart + (row(r - 4) - first) * width);
            }
            GradientJvm.Lines lines = new GradientJvm.Lines(width);
            int[][] magnitudes = new int[rows + 2][width]; // from row first - 1 on
            byte[][] sectors = new byte[rows + 2][width];
            for (int r = 0; r < magnitudes.length; r++) {
                int y = first + r - 1;
                if (y < 0 || y >= height) {
                    continue; // 0
                }
                smoothDown(along, row(y - 1 - first), lines.above);
                smoothDown(along, y, lines.middle);
                smoothDown(along, row(y + 1 - first), lines.below);
                for (int x = 0; x < width; x++) {
                    int gx = lines.gradientX(x);
                    int gy = lines.gradientY(x);
                    magnitudes[r][x] = Math.abs(gx) + Math.abs(gy);
                    sectors[r][x] = (byte) GradientJvm.sector(gx, gy);
                }
            }
            byte[] line = new byte[width];
            for (int r = 0; r < rows; r++) {
                for (int x = 0; x < width; x++) {
                    line[x] = (byte) classOf(magnitudes, sectors[r + 1][x], r + 1, x, low, high);
                }
                out.put((outRow + r) * width, line);
            }
        }

        /** The row of the image that stands for row {@code first + r}. */
        private int row(int r) {
            return Math.min(Math.max(first + r, 0), height - 1);
        }

        private int[] smoothAlong(ByteBuffer view, int at) {
            byte[] pixels = new byte[width];
            view.get(at, pixels);
            int[] wide = new int[width + 4];
            for (int x = 0; x < wide.length; x++) {
                wide[x] = pixels[Math.min(Math.max(x - 2, 0), width - 1)] & 255;
            }
            int[] sums = new int[width];
            for (int x = 0; x < width; x++) {
                sums[x] = wide[x] + wide[x + 4] + 4 * (wide[x + 1] + wide[x + 3]) + 6 * wide[x + 2];
            }
            return sums;
        }

        /** Row {@code y} of the smoothed image, with a pixel beyond either edge. */
        private void smoothDown(int[][] along, int y, int[] line) {
            int[] a = along[row(y - 2 - first) - first + 4];
            int[] b = along[row(y - 1 - first) - first + 4];
            int[] c = along[y - first + 4];
            int[] d = along[row(y + 1 - first) - first + 4];
            int[] e = along[row(y + 2 - first) - first + 4];
            for (int x = 0; x < width; x++) {
                line[x + 1] = (a[x] + e[x] + 4 * (b[x] + d[x]) + 6 * c[x] + 128) >> 8;
            }
            line[0] = line[1];
            line[width + 1] = line[width];
        }

        private int classOf(int[][] magnitudes, int sector, int r, int x, int low, int high) {
            int m = magnitudes[r][x];
            if (m < low) {
                return 0;
            }
            int up = sector == 0 ? 0 : 1;
            int side = sector == 2 ? 0 : sector == 3 ? -1 : 1;
            int before = at(magnitudes[r - up], x - side);
            int after = at(magnitudes[r + up], x + side);
            return m > before && m >= after ? m >= high ? CannyTiles.STRONG : 1 : 0;
        }

        private int at(int[] line, int x) {
            return x >= 0 && x < width ? line[x] : 0;
        }
    }
}
