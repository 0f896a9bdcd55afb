package dev.evener;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.AbstractLogger;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** Prints what is logged as a warning or worse; for a {@link ChildJava}, by {@link #OPTION}. */
public final class PrintingLogs implements SLF4JServiceProvider {
    public static final String OPTION = "-Dslf4j.provider=" + PrintingLogs.class.getName();

    private final IMarkerFactory markers = new BasicMarkerFactory();

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> new Printing();
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return new NOPMDCAdapter();
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {}

    private static final class Printing extends AbstractLogger {
        private static final long serialVersionUID = 1L;

        @Override
        protected @Nullable String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level,
                @Nullable Marker marker,
                String message,
                Object @Nullable [] arguments,
                @Nullable Throwable cause) {
            System.out.println(level + " "
                    + MessageFormatter.basicArrayFormat(message, arguments == null ? new Object[0] : arguments));
            if (cause != null) {
                System.out.println("  " + cause + " at " + Arrays.toString(cause.getStackTrace()));
            }
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isTraceEnabled(Marker marker) {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled(Marker marker) {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return false;
        }

        @Override
        public boolean isInfoEnabled(Marker marker) {
            return false;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isWarnEnabled(Marker marker) {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled(Marker marker) {
            return true;
        }
    }
}
