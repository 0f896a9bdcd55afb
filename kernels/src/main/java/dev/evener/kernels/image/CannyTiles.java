package dev.evener.kernels.image;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;

/**
 * The tiles in which devices find connected components of edge pixels, and how the host joins those that touch across the
 * border of two tiles. The buffers' contents are described in {@code canny.cl}.
 */
final class CannyTiles {
    static final int STRONG = 2;
    static final int STRONG_COMPONENT = 0x80000000;
    static final int LABEL = 0x7fffffff;

    private final int width;
    private final int height;
    private final int tall;

    /** @param tall rows of a tile but perhaps the last, at least 1 */
    CannyTiles(ImageSize size, int tall) {
        this.width = size.width();
        this.height = size.height();
        this.tall = tall;
    }

    int width() {
        return width;
    }

    int tall() {
        return tall;
    }

    /** Size of the buffer that tells which components are kept: two rows for each tile. */
    long keptBytes() {
        return 2L * width * ((height + tall - 1) / tall);
    }

    /**
     * The host step: which components of each tile are kept because of others.
     *
     * @param classes of all pixels
     * @param labels of all edge pixels
     * @param kept takes the answer
     */
    void join(ByteBuffer classes, IntBuffer labels, ByteBuffer kept) {
        Components components = new Components();
        Border above = new Border();
        Border below = new Border();
        for (int y = tall; y < height; y += tall) {
            above.load(classes, labels, y - 1, components);
            below.load(classes, labels, y, components);
            for (int x = 0; x < width; x++) {
                if (below.component[x] >= 0) {
                    for (int n = Math.max(0, x - 1); n <= Math.min(width - 1, x + 1); n++) {
                        if (above.component[n] >= 0) {
                            components.union(below.component[x], above.component[n]);
                        }
                    }
                }
            }
        }
        byte[] answer = new byte[width];
        for (int first = 0; first < height; first += tall) {
            int tile = first / tall;
            for (int side = 0; side < 2; side++) {
                int y = side == 0 ? first : Math.min(height, first + tall) - 1;
                Arrays.fill(answer, (byte) 0);
                // The image's first and last row are no border: whatever is there touches no other tile.
                if (side == 0 ? y > 0 : y + 1 < height) {
                    above.load(classes, labels, y, components);
                    for (int x = 0; x < width; x++) {
                        int component = above.component[x];
                        if (component >= 0 && components.tell(component)) {
                            answer[x] = 1;
                        }
                    }
                }
                kept.put((2 * tile + side) * width, answer);
            }
        }
    }

    /** One row beside a border, with the number of each edge pixel's component, or -1. */
    private final class Border {
        private final byte[] classes = new byte[width];
        private final int[] labels = new int[width];
        final int[] component = new int[width];

        void load(ByteBuffer allClasses, IntBuffer allLabels, int y, Components components) {
            allClasses.get(y * width, classes);
            allLabels.get(y * width, labels);
            int start = y / tall * tall * width;
            int lastRoot = -1;
            int lastComponent = -1;
            for (int x = 0; x < width; x++) {
                if (classes[x] == 0) {
                    component[x] = -1;
                    continue;
                }
                int root = start + (labels[x] & LABEL);
                if (root != lastRoot) { // neighbours mostly share one
                    lastRoot = root;
                    lastComponent = components.of(root, (allLabels.get(root) & STRONG_COMPONENT) != 0);
                }
                component[x] = lastComponent;
            }
        }
    }

    /** Components of tiles, numbered as they are met, and the sets that they form across borders. */
    private static final class Components {
        private int[] slots = new int[1024]; // numbers + 1 by hash of the root; a power of two, at most half full
        private int[] roots = new int[512];
        private int[] parents = new int[512];
        private boolean[] strong = new boolean[512]; // of a set, at its parent
        private boolean[] done = new boolean[512]; // kept in its own tile's right, or told
        private int count;

        /** The number of the component with its first pixel there. */
        int of(int root, boolean isStrong) {
            int slot = slot(root);
            if (slots[slot] != 0) {
                return slots[slot] - 1;
            }
            if (count == roots.length) {
                grow();
                slot = slot(root);
            }
            roots[count] = root;
            parents[count] = count;
            strong[count] = isStrong;
            done[count] = isStrong;
            slots[slot] = ++count;
            return count - 1;
        }

        void union(int a, int b) {
            int x = find(a);
            int y = find(b);
            if (x != y) {
                parents[Math.max(x, y)] = Math.min(x, y);
                strong[Math.min(x, y)] |= strong[Math.max(x, y)];
            }
        }

        /** Whether a component is kept and its tile does not know: true once. */
        boolean tell(int component) {
            boolean news = !done[component] && strong[find(component)];
            done[component] |= news;
            return news;
        }

        private int find(int component) {
            int i = component;
            while (parents[i] != i) {
                parents[i] = parents[parents[i]];
                i = parents[i];
            }
            return i;
        }

        private int slot(int root) {
            int slot = ((root * 0x9e3779b1) >>> 7) & (slots.length - 1);
            while (slots[slot] != 0 && roots[slots[slot] - 1] != root) {
                slot = (slot + 1) & (slots.length - 1);
            }
            return slot;
        }

        private void grow() {
            roots = Arrays.copyOf(roots, 2 * count);
            parents = Arrays.copyOf(parents, 2 * count);
            strong = Arrays.copyOf(strong, 2 * count);
            done = Arrays.copyOf(done, 2 * count);
            slots = new int[4 * count];
            for (int i = 0; i < count; i++) {
                slots[slot(roots[i])] = i + 1;
            }
        }
    }
}
