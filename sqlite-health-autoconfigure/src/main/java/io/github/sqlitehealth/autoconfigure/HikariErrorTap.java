package io.github.sqlitehealth.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.witness.HikariErrors;
import io.github.sqlitehealth.witness.StatementErrors;
import io.github.sqlitehealth.witness.Timepiece;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Lets the monitor see the errors of a pool's statements. That has to be arranged before the pool starts, and a pool
 * that is not for SQLite is left as it is.
 */
final class HikariErrorTap implements BeanPostProcessor {

    private static final Logger log = LoggerFactory.getLogger(HikariErrorTap.class);

    private final ObjectProvider<Timepiece> timepiece;

    HikariErrorTap(ObjectProvider<Timepiece> timepiece) {
        this.timepiece = timepiece;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof HikariDataSource pool && Candidate.mayBeWatched(pool)) {
            try {
                StatementErrors errors = new StatementErrors(timepiece.getIfAvailable(Timepiece::system));
                pool.setExceptionOverride(new HikariErrors(errors, pool.getExceptionOverride()));
            } catch (IllegalStateException ex) {
                log.info("The pool {} has started already, so that errors of its statements are not seen", beanName);
            }
        }
        return bean;
    }
}
