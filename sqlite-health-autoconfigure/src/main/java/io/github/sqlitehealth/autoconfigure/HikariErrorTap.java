package io.github.sqlitehealth.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.witness.HikariErrors;
import io.github.sqlitehealth.witness.Timepiece;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Lets the monitor see the errors of a pool's statements from the first one on. That is best arranged before the pool
 * starts; a pool that is not for SQLite is left as it is.
 */
final class HikariErrorTap implements BeanPostProcessor {

    private final ObjectProvider<Timepiece> timepiece;

    HikariErrorTap(ObjectProvider<Timepiece> timepiece) {
        this.timepiece = timepiece;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof HikariDataSource pool && Candidate.mayBeWatched(pool)) {
            HikariErrors.of(pool, timepiece.getIfAvailable(Timepiece::system));
        }
        return bean;
    }
}
