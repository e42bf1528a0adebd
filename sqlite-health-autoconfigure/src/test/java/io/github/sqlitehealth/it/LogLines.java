package io.github.sqlitehealth.it;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** The lines that the library writes to the log while this is open. Tests that run beside are told apart by their names. */
public final class LogLines implements AutoCloseable {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.github.sqlitehealth");
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getLevel() + " " + event.getFormattedMessage());
        }
    };

    public LogLines() {
        appender.setContext(logger.getLoggerContext());
        appender.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(appender);
    }

    /** Those that hold all of these texts. */
    public List<String> with(String... texts) {
        return lines.stream()
                .filter(line -> List.of(texts).stream().allMatch(line::contains))
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        appender.stop();
    }
}
