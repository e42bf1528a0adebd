package io.github.sqlitehealth.autoconfigure;

/**
 * The command line, for when the application is stopped, or stranded. To be started from the application's own fat jar,
 * {@code java -Dloader.main=<this class> -cp app.jar org.springframework.boot.loader.launch.PropertiesLauncher}, or from
 * the jars of a directory, {@code java -cp 'lib/*' <this class>}. {@code --help} says the rest.
 */
public final class SqliteHealthCommand {

    private static final int NOT_POSSIBLE = 3;

    private SqliteHealthCommand() {}

    /** Does what the arguments say and ends the process with the code of that. */
    public static void main(String[] args) {
        System.exit(code(args));
    }

    private static int code(String[] args) {
        try {
            CommandLogging.quiet();
            return new CommandRun(System.out, System.err).run(args);
        } catch (NoClassDefFoundError ex) {
            System.err.println("A library is missing on the class path (" + ex.getMessage()
                    + "): spring-boot, spring-core, jackson-databind, slf4j-api and sqlite-jdbc are needed");
            return NOT_POSSIBLE;
        }
    }
}
