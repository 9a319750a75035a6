package io.tidemark.broker.net;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** The warnings and errors that are logged while this is open. */
public final class LogLines implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final LoggerContext context = (LoggerContext) LogManager.getContext(false);
    private final AbstractAppender appender = new AbstractAppender("lines", null, null, false, Property.EMPTY_ARRAY) {
        @Override
        public void append(LogEvent event) {
            if (event.getLevel().isMoreSpecificThan(Level.WARN)) {
                lines.add(event.getLoggerName() + " " + event.getMessage().getFormattedMessage());
            }
        }
    };

    public LogLines() {
        appender.start();
        context.getConfiguration().getRootLogger().addAppender(appender, null, null);
        context.updateLoggers();
    }

    /** "logger message" of each so far. */
    public List<String> all() {
        return List.copyOf(lines);
    }

    /** Those about what peers do wrong. */
    public List<String> complaints() {
        return lines.stream()
                .filter(line -> line.startsWith(Complaints.class.getName()))
                .toList();
    }

    @Override
    public void close() {
        context.getConfiguration().getRootLogger().removeAppender("lines");
        context.updateLoggers();
    }
}
