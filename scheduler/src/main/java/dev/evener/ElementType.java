package dev.evener;

/** What a {@link HostBuffer} holds: the OpenCL scalar type of the same width and signedness. */
public enum ElementType {
    BYTE(1, "char"),
    UBYTE(1, "uchar"),
    SHORT(2, "short"),
    USHORT(2, "ushort"),
    INT(4, "int"),
    UINT(4, "uint"),
    LONG(8, "long"),
    ULONG(8, "ulong"),
    FLOAT(4, "float"),
    DOUBLE(8, "double");

    private final int bytes;
    private final String openClName;

    ElementType(int bytes, String openClName) {
        this.bytes = bytes;
        this.openClName = openClName;
    }

    /** Size of one element in bytes. */
    public int bytes() {
        return bytes;
    }

    /** Whether it holds floating-point numbers. */
    public boolean isFloating() {
        return this == FLOAT || this == DOUBLE;
    }

    /** The type's name in OpenCL C. */
    public String openClName() {
        return openClName;
    }
}
