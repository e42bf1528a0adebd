package io.github.sqlitehealth.autoconfigure;

/** A property has a value that makes no sense. */
final class BadPropertyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String property;
    private final String value;
    private final String rule;

    /**
     * @param property its full name
     * @param rule what its value "must be"
     */
    BadPropertyException(String property, Object value, String rule) {
        super("The property " + property + " = " + value + " " + rule + ".");
        this.property = property;
        this.value = value.toString();
        this.rule = rule;
    }

    String property() {
        return property;
    }

    String value() {
        return value;
    }

    String rule() {
        return rule;
    }
}
