package io.github.sqlitehealth.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/** Says which property has a bad value, and where it is set, before Boot says that the binding of a class failed. */
final class BadPropertyFailureAnalyzer extends AbstractFailureAnalyzer<BadPropertyException> implements Ordered {

    private final Environment environment;

    BadPropertyFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, BadPropertyException cause) {
        ConfigurationProperty set = set(cause.property());
        Object value = set == null ? cause.value() : set.getValue();
        String origin = set == null || set.getOrigin() == null ? "" : " (from " + set.getOrigin() + ")";
        return new FailureAnalysis(
                "The property " + cause.property() + " = " + value + origin + " " + cause.rule() + ".",
                "Correct the value of " + cause.property() + ", or remove it to get the default.",
                cause);
    }

    private @Nullable ConfigurationProperty set(String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
        for (var source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
