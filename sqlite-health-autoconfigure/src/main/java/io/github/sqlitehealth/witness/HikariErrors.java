package io.github.sqlitehealth.witness;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteException;

/** Sees the errors of a HikariCP pool's statements; an override of the application is kept and decides as before. */
public final class HikariErrors implements SQLExceptionOverride {

    private final StatementErrors errors;
    private final @Nullable SQLExceptionOverride application;

    /**
     * @param application the override that the application has configured, absent when it has none
     */
    private HikariErrors(StatementErrors errors, @Nullable SQLExceptionOverride application) {
        this.errors = errors;
        this.application = application;
    }

    /**
     * Lets the errors of a pool be seen, once.
     *
     * @return where they are recorded; {@code null} when this version of HikariCP does not let them be seen any more
     */
    public static @Nullable StatementErrors of(HikariDataSource pool, Timepiece time) {
        SQLExceptionOverride present = HikariInternals.override(pool);
        if (present instanceof HikariErrors known) {
            return known.errors;
        }
        StatementErrors errors = new StatementErrors(time);
        return HikariInternals.setOverride(pool, new HikariErrors(errors, present)) ? errors : null;
    }

    @java.lang.Override // this interface has an Override of its own
    public Override adjudicate(SQLException failure) {
        if (failure instanceof SQLiteException sqlite) {
            errors.saw(sqlite.getResultCode().code, sqlite.getResultCode().name());
        }
        return application == null ? Override.CONTINUE_EVICT : application.adjudicate(failure);
    }
}
