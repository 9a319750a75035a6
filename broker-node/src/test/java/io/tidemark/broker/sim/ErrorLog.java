package io.tidemark.broker.sim;

import java.util.function.Consumer;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/** Hears what brokers log as an error, which is a bug unless a disk was at fault; keeps the rest of the log quiet. */
final class ErrorLog implements AutoCloseable {
    private static final String PRODUCT = "io.tidemark";

    private final LoggerContext context = (LoggerContext) LogManager.getContext(false);
    /** The settings that this takes the place of; null if there were none. */
    private final LoggerConfig replaced;

    private Consumer<LogEvent> listener = event -> {};
    private final AbstractAppender appender =
            new AbstractAppender("simulation", null, null, false, Property.EMPTY_ARRAY) {
                @Override
                public void append(LogEvent event) {
                    if (event.getLevel().isMoreSpecificThan(Level.ERROR)) {
                        listener.accept(event);
                    }
                }
            };

    ErrorLog() {
        appender.start();
        LoggerConfig product = new LoggerConfig(PRODUCT, Level.ERROR, false);
        product.addAppender(appender, null, null);
        replaced = context.getConfiguration().getLoggers().get(PRODUCT);
        context.getConfiguration().removeLogger(PRODUCT);
        context.getConfiguration().addLogger(PRODUCT, product);
        context.updateLoggers();
    }

    /** The simulation of that seed, with the errors of its brokers. */
    Simulation watch(long seed) {
        Simulation simulation = new Simulation(seed);
        watch(simulation);
        return simulation;
    }

    void watch(Simulation simulation) {
        listener =
                event -> simulation.checks().errorLogged(event.getMessage().getFormattedMessage(), event.getThrown());
    }

    @Override
    public void close() {
        context.getConfiguration().removeLogger(PRODUCT);
        if (replaced != null) {
            context.getConfiguration().addLogger(PRODUCT, replaced);
        }
        context.updateLoggers();
    }
}
