package io.github.sqlitehealth.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/** Says why the application did not start, in place of the trace of the bean that was not created. */
final class DatabaseRefusedFailureAnalyzer extends AbstractFailureAnalyzer<DatabaseRefusedException>
        implements Ordered {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, DatabaseRefusedException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
