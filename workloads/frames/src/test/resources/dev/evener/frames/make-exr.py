"""Writes the .exr files of this folder with OpenEXR's own library, and checks that it reads them as ExrReaderTest expects them.

Debian's python3-opencv has it: /usr/bin/python3 make-exr.py. Tests only read the files.
"""
import os

os.environ["OPENCV_IO_ENABLE_OPENEXR"] = "1"
import cv2
import numpy as np


def pixels(width, height):
    """Blue, green and red, as OpenCV has them, of the values of ExrReaderTest.value: exact in half."""
    y, x = np.mgrid[0:height, 0:width].astype(np.int64)
    red = 2.0 ** (x // 7 % 12 - 4) * (1 + (y % 64) / 64)
    green = (x * x + 3 * y) % 1024 / 16
    blue = -(((37 * x + 101 * y) % 2048) / 2)
    return np.stack([blue, green, red], -1).astype(np.float32)


def write(name, image, kind, compression):
    name = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".exr")
    kind = getattr(cv2, "IMWRITE_EXR_TYPE_" + kind)
    compression = getattr(cv2, "IMWRITE_EXR_COMPRESSION_" + compression)
    assert cv2.imwrite(name, image, [cv2.IMWRITE_EXR_TYPE, kind, cv2.IMWRITE_EXR_COMPRESSION, compression])
    assert (cv2.imread(name, cv2.IMREAD_UNCHANGED) == image).all()


for compression in "NO", "RLE", "ZIPS", "ZIP", "PIZ":
    write(compression.lower() + "-half", pixels(37, 41), "HALF", compression)
write("piz-float", pixels(37, 41), "FLOAT", "PIZ")
write("piz-alpha", np.dstack([pixels(5, 70), np.full((70, 5), 0.5, np.float32)]), "HALF", "PIZ")
# More than 2^14 values in a chunk, for which the wavelet works modulo 2^16.
write("piz-ramp", (1 + np.arange(600 * 33).reshape(33, 600) * 3 * 2.0**-23).astype(np.float32), "FLOAT", "PIZ")
