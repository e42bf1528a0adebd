package io.github.sqlitehealth.monitor;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What the logger of the alarms said about one database, whatever other tests make it say meanwhile. */
final class AlarmLog implements AutoCloseable {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.github.sqlitehealth.alarm");
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender;

    AlarmLog(String database) {
        appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (event.getFormattedMessage().contains("[" + database + "]")) {
                    events.add(event);
                }
            }
        };
        appender.start();
        // Thousands of lines on the console would hide what a build has to say.
        logger.setAdditive(false);
        logger.addAppender(appender);
    }

    List<String> lines() {
        return events.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    List<Level> levels() {
        return events.stream().map(ILoggingEvent::getLevel).toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
