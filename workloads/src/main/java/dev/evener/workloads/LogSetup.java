package dev.evener.workloads;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.NopStatusListener;
import dev.evener.Evener;
import dev.evener.workloads.document.Printable;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/**
 * How the program logs: warnings as single lines on standard error; {@code EVENER_LOG=debug} shows more. Set up in code
 * because reading logback's XML would take a good part of the start-up time. Found through the service loader.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {

    /** For the service loader. */
    public LogSetup() {}

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        // Or logback would look through its own messages, with the time zones that their dates take.
        context.getStatusManager().add(new NopStatusListener());
        LayoutBase<ILoggingEvent> line = new Line();
        line.setContext(context);
        line.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(line);
        encoder.start();
        appender.setEncoder(encoder);
        appender.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.toLevel(System.getenv("EVENER_LOG"), Level.WARN));
        root.addAppender(appender);
        if (root.getLevel().equals(Level.WARN)) {
            context.getLogger(Evener.class)
                    .setLevel(Level.ERROR); // commands say what it warns of, unless the launcher did
        }
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** One line, and of exceptions the messages: as a pattern it would load a class for each of a hundred words of logback's. */
    private static final class Line extends LayoutBase<ILoggingEvent> {
        @Override
        public String doLayout(ILoggingEvent event) {
            String level = switch (event.getLevel().levelInt) {
                case Level.WARN_INT -> "warning";
                case Level.ERROR_INT -> "error";
                default -> event.getLevel().toString();
            };
            String line = "evener: " + level + ": " + event.getFormattedMessage() + System.lineSeparator();
            if (event.getThrowableProxy() != null) {
                ThrowableProxyConverter messages = new ThrowableProxyConverter();
                messages.setOptionList(List.of("0"));
                messages.start();
                line += messages.convert(event);
            }
            return Printable.lines(line); // a message may quote what a driver or a file says
        }
    }

    /** Runs something on devices that are modelled: that one of them fails is no warning. One thread at a time. */
    public static <T> T withoutWarnings(Supplier<T> simulation) {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.evener.internal.run");
        Level before = logger.getLevel();
        if (logger.getEffectiveLevel().equals(Level.WARN)) { // else somebody wants to see more
            logger.setLevel(Level.ERROR);
        }
        try {
            return simulation.get();
        } finally {
            logger.setLevel(before);
        }
    }
}
