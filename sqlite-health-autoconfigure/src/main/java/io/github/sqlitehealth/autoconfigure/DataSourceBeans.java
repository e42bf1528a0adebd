package io.github.sqlitehealth.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.SimpleAutowireCandidateResolver;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;

/** The {@code DataSource}s of the application by name: the beans, and what stands behind a routing one. */
final class DataSourceBeans {

    private static final boolean ROUTING = ClassUtils.isPresent(
            "org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource",
            DataSourceBeans.class.getClassLoader());

    private final ConfigurableListableBeanFactory beanFactory;
    private final List<String> excluded;

    DataSourceBeans(ConfigurableListableBeanFactory beanFactory, List<String> excluded) {
        this.beanFactory = beanFactory;
        this.excluded = excluded;
    }

    /** Creates the beans where that has not happened yet, as Boot's own {@code db} health does. */
    Map<String, DataSource> all() {
        Map<String, DataSource> beans =
                SimpleAutowireCandidateResolver.resolveAutowireCandidates(beanFactory, DataSource.class, false, true);
        Map<String, DataSource> all = new LinkedHashMap<>();
        Map<String, DataSource> targets = new LinkedHashMap<>();
        beans.forEach((name, dataSource) -> {
            if (excluded.contains(name)) {
                return;
            }
            if (ROUTING && dataSource instanceof AbstractRoutingDataSource) {
                targets.putAll(Routing.targets(name, dataSource));
            } else {
                all.put(name, dataSource);
            }
        });
        // A target that is a bean, too, goes by the name of that bean.
        targets.forEach((name, dataSource) -> {
            if (!all.containsValue(dataSource)) {
                all.put(name, dataSource);
            }
        });
        return all;
    }

    /** Apart from the rest, since spring-jdbc may be absent. */
    private static final class Routing {

        static Map<String, DataSource> targets(String name, DataSource dataSource) {
            Map<String, DataSource> targets = new LinkedHashMap<>();
            ((AbstractRoutingDataSource) dataSource)
                    .getResolvedDataSources()
                    .forEach((key, target) ->
                            targets.put(name + "." + String.valueOf(key).replace('/', '_'), target));
            return targets;
        }
    }
}
