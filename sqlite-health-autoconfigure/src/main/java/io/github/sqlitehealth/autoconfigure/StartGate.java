package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.os.RealPath;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.SingletonBeanRegistry;

/**
 * Stands between a {@code DataSource} and everybody who wants it: migrations, scripts and repositories get it injected, so
 * whatever is done here has been done before the application's first use of the database.
 */
final class StartGate implements BeanPostProcessor, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(StartGate.class);

    private final ObjectProvider<StartRules> rules;
    private final ListableBeanFactory beanFactory;
    private final Set<Path> passed = ConcurrentHashMap.newKeySet();
    private final Set<Path> absent = ConcurrentHashMap.newKeySet();
    private final Set<String> names = ConcurrentHashMap.newKeySet();

    StartGate(ObjectProvider<StartRules> rules, ListableBeanFactory beanFactory) {
        this.rules = rules;
        this.beanFactory = beanFactory;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof DataSource dataSource && !rules.getObject().excludes(beanName)) {
            Map<String, DataSource> targets = new LinkedHashMap<>();
            if (!DataSourceBeans.addTargets(beanName, dataSource, targets)) {
                targets.put(beanName, dataSource);
            }
            try {
                targets.forEach((name, target) -> pass(name, target, targets.keySet()));
            } catch (RuntimeException | Error ex) {
                close(dataSource);
                throw ex;
            }
        }
        return bean;
    }

    /** Whether there was no such file when the {@code DataSource} was created, or an empty one. */
    boolean created(Path file) {
        return absent.stream().anyMatch(each -> RealPath.of(each).equals(file));
    }

    @Override
    public void afterSingletonsInstantiated() {
        Set<String> all = new TreeSet<>(names);
        // One that is created lazily is met later.
        all.addAll(dataSources());
        rules.getObject().refuseUnlessMet(all, notYetCreated());
    }

    /** What routes they have nobody can know. */
    private Set<String> notYetCreated() {
        Set<String> later = new TreeSet<>(dataSources());
        later.removeIf(
                name -> beanFactory instanceof SingletonBeanRegistry registry && registry.containsSingleton(name));
        return later;
    }

    /** Nobody else will: a bean that is refused is none that the context would close. */
    private static void close(DataSource dataSource) {
        if (dataSource instanceof AutoCloseable pool) {
            try {
                pool.close();
            } catch (Exception ex) {
                log.debug("A DataSource that was refused could not be closed", ex);
            }
        }
    }

    private List<String> dataSources() {
        return List.of(beanFactory.getBeanNamesForType(DataSource.class, true, false));
    }

    private void pass(String name, DataSource dataSource, Set<String> routes) {
        Path file = file(name, dataSource);
        if (file == null) {
            return;
        }
        names.add(name);
        if (passed.add(file)) {
            if (file.toFile().length() == 0) {
                absent.add(file);
            }
            Set<String> others = new TreeSet<>(routes);
            others.addAll(dataSources());
            rules.getObject().apply(name, file, dataSource, others);
        }
    }

    /** The file, whether it exists or not; {@code null} where there is none, or none that can be known without a pool. */
    private static @Nullable Path file(String name, DataSource dataSource) {
        String url = JdbcUrl.of(dataSource);
        if (url == null || !JdbcUrl.isSqlite(url) || JdbcUrl.isInMemory(url)) {
            return null;
        }
        try {
            return Sighting.of(url).file();
        } catch (SQLException | RuntimeException ex) {
            Path file = JdbcUrl.file(url);
            log.debug("The file of {} cannot be asked for, so its URL has to tell: {}", name, file, ex);
            return file;
        }
    }
}
