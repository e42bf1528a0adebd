package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.witness.ContentRules;
import org.jspecify.annotations.Nullable;

/**
 * What a copy must be like, besides sound, before it becomes the database.
 *
 * @param rules what must be in it, with plain table names
 * @param maxUserVersion the newest {@code PRAGMA user_version} that the application knows; absent for that of the present
 *     database, as far as it can be told
 * @param applicationId its {@code PRAGMA application_id} where the present database does not tell, such as that of the
 *     other backups; absent for any
 */
public record RestoreDemands(
        ContentRules rules,
        @Nullable Long maxUserVersion,
        @Nullable Long applicationId) {

    /** Nothing in particular. */
    public static final RestoreDemands NONE = new RestoreDemands(ContentRules.NONE, null, null);
}
