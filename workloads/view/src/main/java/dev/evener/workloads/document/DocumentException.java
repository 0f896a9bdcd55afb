package dev.evener.workloads.document;

import java.io.Serial;

/** Something in a document is not what it must be. The message is one line: where, what is wrong, what is allowed. */
public final class DocumentException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private static final int LONGEST = 1000;

    private final String where;

    /**
     * The message becomes {@code where: problem}, safe for one line on a terminal: hostile texts carry escapes and newlines.
     *
     * @param where a path such as {@code workloads[1].policies[0]}, a line, or empty for the document as a whole
     */
    public DocumentException(String where, String problem) {
        super(printable(where.isEmpty() ? problem : where + ": " + problem));
        this.where = where;
    }

    /** Where it is, as it was given. */
    public String where() {
        return where;
    }

    /** The same, said of a file or a line of it. */
    public DocumentException in(Object what) {
        return new DocumentException(what.toString(), String.valueOf(getMessage()));
    }

    private static String printable(String text) {
        String cut = text.length() > LONGEST ? text.substring(0, LONGEST) + "..." : text;
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
