// Canny's edge detector (Canny, A Computational Approach to Edge Detection, IEEE PAMI 1986) in integers, in three kernels
// over the same rows.
//
// canny_classes: smoothing by the binomial 1 4 6 4 1 in both directions, ((sum + 128) / 256); Sobel's gradient of that
// (sobel.cl); thinning: a pixel stays if its magnitude exceeds that of its neighbour against the gradient's direction (the one
// that comes first in the image) and is not below that of its neighbour along it, where magnitudes beyond the image are 0; two
// thresholds: WEAK from `low` on, STRONG from `high` on. Pixels beyond an edge, of the image and of the smoothed image, are those
// at the edge. All of it is computed from the grey rows at once, four rows beyond the chunk on either side.
//
// Hysteresis keeps the weak pixels that are joined to a strong one by a path of weak or strong pixels, eight neighbours to
// each. It is a question of connected components and so of the whole image; here it is answered in tiles of `tall` rows over
// the whole width, which never depend on the split, then between them:
//
// canny_link labels the components of each tile: the label of a pixel is its component's first pixel, counted from the
// tile's start, and that pixel's own label carries the flag STRONG_COMPONENT if the component has a strong pixel. Labels of
// pixels that are no edge are left alone, since nobody reads them.
//
// Then the host joins components that touch across the border of two tiles, and says for each tile which of its components
// is kept because of others: in `kept`, two bytes for each column of a tile, for its first and its last row, of which one for
// each such component is set.
//
// canny_trace writes 255 for the pixels of components that are kept, 0 for all others.
//
// CPU (canny.cpu.cl): a work-item, the only one of its group, takes `tall` rows. canny_classes goes through them in blocks of columns, with
// lines of each intermediate image in private memory, each computed once; canny_link is the sequential algorithm of union and
// find in one pass over the pixels (after Wu, Otoo and Suzuki, Optimizing two-pass connected-component labeling algorithms,
// 2009), then one pass that shortens paths; 16 pixels without an edge are passed over at once.
//
// Other devices (canny.group.cl): canny_classes works on tiles of 64 x 16 pixels in local memory, of which a group may take several;
// canny_link and canny_trace take a group for each tile of rows, with union by atomic minimum (after Playne and Hawick, A new
// algorithm for parallel connected-component labelling on GPUs, IEEE TPDS 2018).

#define WEAK 1
#define STRONG 2
#define STRONG_COMPONENT 0x80000000u
#define LABEL 0x7fffffffu
