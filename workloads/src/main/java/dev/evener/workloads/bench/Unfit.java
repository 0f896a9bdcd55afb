package dev.evener.workloads.bench;

import dev.evener.workloads.bench.Entry.Role;
import java.io.Serial;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A contender cannot do what the case asks for, and its devices have to be opened anew for the others. */
public final class Unfit extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private static final Pattern SAID = Pattern.compile("error: .*?(\".*\")");

    private final transient Entry entry;

    Unfit(String name, Role role, RuntimeException cause) {
        super(name, cause);
        entry = Entry.unfit(name, role, reason(String.valueOf(cause.getMessage())), null);
    }

    /** What is to be said of it. */
    public Entry entry() {
        return entry;
    }

    /** The first line, or what the kernel itself said when it was built. */
    private static String reason(String message) {
        Matcher said = SAID.matcher(message);
        return said.find() ? said.group(1) : message.lines().findFirst().orElse("");
    }
}
