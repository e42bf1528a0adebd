package io.github.sqlitehealth.recovery;

/** Somebody else has put files in place meanwhile, or used them: nothing that is there is ours to move. */
final class OccupiedException extends Exception {

    private static final long serialVersionUID = 1L;

    OccupiedException(String message) {
        super(message);
    }
}
