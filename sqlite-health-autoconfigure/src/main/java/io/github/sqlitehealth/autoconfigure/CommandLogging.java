package io.github.sqlitehealth.autoconfigure;

import org.springframework.boot.logging.LoggingSystem;

/** Has the libraries keep silent: what the command has to say it says itself. */
final class CommandLogging {

    private CommandLogging() {}

    static void quiet() {
        // Without a logging library SLF4J complains before it discards everything.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        try {
            // Until an application configures it, which never happens here, Boot's logging lets nothing through.
            LoggingSystem.get(CommandLogging.class.getClassLoader()).beforeInitialize();
        } catch (LinkageError | RuntimeException ex) {
            // Parts of Spring that only this needs are not there: lines too many are no reason to do nothing.
            return;
        }
    }
}
