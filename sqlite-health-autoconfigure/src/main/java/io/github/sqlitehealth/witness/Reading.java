package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Reason;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What one read through one connection gave.
 *
 * @param says OK, BAD or UNASKED
 * @param reason why it is not OK
 * @param text what SQLite said
 */
record Reading(Answer says, Reason reason, String text) {

    static final Reading OK = new Reading(Answer.OK, Reason.NONE, "ok");

    /** A result code that a check puts into a row, as in "unable to get the page. error code=522". */
    private static final Pattern CODE = Pattern.compile("\\berror code[ =](\\d{1,9})$", Pattern.MULTILINE);

    /**
     * Judges a row of a check that is not {@code ok}. Pages that could not be read for an I/O error are no damaged pages,
     * and neither is what seems to be missing for their want: whether there is damage, too, can be told once they can be
     * read. Where no code says so, the row is bad.
     */
    static Reading problem(String row) {
        Set<Reason> reasons = CODE.matcher(row)
                .results()
                .map(code -> of(new SQLException(row, null, Integer.parseInt(code.group(1))))
                        .reason())
                .collect(Collectors.toSet());
        return reasons.equals(Set.of(Reason.IO_ERROR)) ? unasked(Reason.IO_ERROR, row) : bad(row);
    }

    static Reading bad(String text) {
        return new Reading(Answer.BAD, Reason.CORRUPT, Brief.of(text));
    }

    static Reading unasked(Reason reason, String text) {
        return new Reading(Answer.UNASKED, reason, Brief.of(text));
    }

    /**
     * Judges a failed read by the primary result code; the wording of messages changes between releases. See
     * https://www.sqlite.org/rescode.html.
     */
    static Reading of(SQLException failure) {
        String text = failure.getMessage() == null ? failure.getClass().getName() : failure.getMessage();
        if (failure instanceof SQLTransientConnectionException) {
            return unasked(Reason.NO_CONNECTION, text);
        }
        return switch (failure.getErrorCode() & 0xff) {
            case 11 -> new Reading(Answer.BAD, Reason.CORRUPT, Brief.of(text));
            case 26 ->
                new Reading(
                        Answer.BAD, Reason.CORRUPT, Brief.of(text) + "; perhaps it is encrypted, or no SQLite file");
            case 5, 6 -> unasked(Reason.BUSY, text);
            case 9 -> unasked(Reason.INTERRUPTED, text);
            case 10, 14 -> unasked(Reason.IO_ERROR, text);
            case 1 -> unasked(Reason.APPLICATION_ONLY, text);
            default -> unasked(Reason.OTHER, text);
        };
    }

    boolean ok() {
        return says == Answer.OK;
    }

    boolean bad() {
        return says == Answer.BAD;
    }

    boolean because(Reason other) {
        return reason == other;
    }
}
