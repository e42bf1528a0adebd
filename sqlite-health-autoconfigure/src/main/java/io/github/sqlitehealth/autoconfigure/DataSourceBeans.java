package io.github.sqlitehealth.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.SimpleAutowireCandidateResolver;

/** The {@code DataSource}s of the application by name: the beans, and what stands behind a routing one. */
final class DataSourceBeans {

    private static final Logger log = LoggerFactory.getLogger(DataSourceBeans.class);

    private final ConfigurableListableBeanFactory beanFactory;
    private final List<String> excluded;

    DataSourceBeans(ConfigurableListableBeanFactory beanFactory, List<String> excluded) {
        this.beanFactory = beanFactory;
        this.excluded = excluded;
    }

    /** Creates the beans where that has not happened yet, as Boot's own {@code db} health does. */
    Map<String, DataSource> all() {
        Map<String, DataSource> beans = beans();
        Map<String, DataSource> all = new LinkedHashMap<>();
        Map<String, DataSource> targets = new LinkedHashMap<>();
        List<DataSource> leftAlone = new ArrayList<>();
        beans.forEach((name, dataSource) -> {
            if (excluded.contains(name)) {
                leftAlone.add(dataSource);
                return;
            }
            if (!addTargets(name, dataSource, targets)) {
                all.put(name, dataSource);
            }
        });
        targets.forEach((name, dataSource) -> {
            // A target that is a bean, too, goes by the name of that bean, or is left alone by that name.
            if (!all.containsValue(dataSource) && !leftAlone.contains(dataSource) && !excluded.contains(name)) {
                all.put(name, dataSource);
            }
        });
        return all;
    }

    private Map<String, DataSource> beans() {
        try {
            return SimpleAutowireCandidateResolver.resolveAutowireCandidates(
                    beanFactory, DataSource.class, false, true);
        } catch (BeansException ex) {
            // A lazy one that cannot be created is for the application to stumble over, not for us.
            log.info("A DataSource cannot be created, so only those are watched that exist: {}", ex.getMessage());
            Map<String, DataSource> created = new LinkedHashMap<>();
            for (String name : beanFactory.getBeanNamesForType(DataSource.class, false, false)) {
                if (beanFactory.getSingleton(name) instanceof DataSource dataSource) {
                    created.put(name, dataSource);
                }
            }
            return created;
        }
    }

    /** @return whether it is a routing one, under whatever wrappers */
    static boolean addTargets(String name, DataSource dataSource, Map<String, DataSource> targets) {
        DataSource router = Wrappers.innermost(dataSource);
        Map<Object, DataSource> routes = Wrappers.routes(router);
        if (routes == null) {
            return false;
        }
        routes.forEach((key, target) -> {
            String targetName = name + "." + String.valueOf(key).replace('/', '_');
            if (target != router && !addTargets(targetName, target, targets)) {
                targets.put(targetName, target);
            }
        });
        DataSource other = Wrappers.defaultRoute(router);
        if (other != null && other != router && !routes.containsValue(other) && !addTargets(name, other, targets)) {
            // It has no key, and it is what the bean by itself leads to.
            targets.put(name, other);
        }
        return true;
    }
}
