package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.monitor.MonitorListener;
import io.github.sqlitehealth.monitor.MonitorState;
import java.time.Clock;
import org.springframework.context.ApplicationEventPublisher;

/** Publishes a {@link SqliteVerdictChangedEvent} for every change of a verdict. */
public final class VerdictEvents implements MonitorListener {

    private final ApplicationEventPublisher publisher;
    private final Clock clock;

    public VerdictEvents(ApplicationEventPublisher publisher, Clock clock) {
        this.publisher = publisher;
        this.clock = clock;
    }

    @Override
    public void verdictChanged(MonitorState before, MonitorState after) {
        publisher.publishEvent(new SqliteVerdictChangedEvent(
                this, after.database(), after.file(), before.verdict(), after.verdict(), clock.instant()));
    }
}
