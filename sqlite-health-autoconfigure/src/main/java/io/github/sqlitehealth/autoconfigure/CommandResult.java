package io.github.sqlitehealth.autoconfigure;

import java.util.List;

/**
 * What a command has come to.
 *
 * @param code the exit code
 * @param lines the same for people
 * @param report the same for programs
 */
record CommandResult(int code, List<String> lines, Object report) {

    static final int OK = 0;
    static final int NOT_OK = 1;
    static final int WRONG = 2;
    static final int NOT_ASKED = 3;
}
