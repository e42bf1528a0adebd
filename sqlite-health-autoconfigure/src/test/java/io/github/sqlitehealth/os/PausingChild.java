package io.github.sqlitehealth.os;

/** Has a process stand still until it is killed itself. */
final class PausingChild {

    private PausingChild() {}

    @SuppressWarnings("try") // it is there to be held
    public static void main(String[] args) throws Exception {
        try (ProcessPause pause = ProcessPause.of(Long.parseLong(args[0]))) {
            System.out.println("still");
            Thread.sleep(60_000);
        }
    }
}
