package io.github.sqlitehealth.autoconfigure;

/** The application must not start on a database as it is. Nothing has been changed. */
final class DatabaseRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * @param description what is wrong, where, and since when
     * @param action what to do about it
     */
    DatabaseRefusedException(String description, String action) {
        super(description);
        this.action = action;
    }

    String action() {
        return action;
    }
}
