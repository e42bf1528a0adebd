package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Another process that restores, and is killed before its so-many-th act. */
final class RestoreChild {

    private RestoreChild() {}

    /** @param act before which it is killed, counted from 1; 0 for none */
    static List<String> command(Scene scene, String what, int act) {
        return Outside.java(RestoreChild.class, what, scene.database, scene.forensics, scene.backup, act);
    }

    public static void main(String[] arguments) throws Exception {
        int deadly = Integer.parseInt(arguments[4]);
        AtomicInteger acts = new AtomicInteger();
        Consumer<String> told = act -> {
            if (acts.incrementAndGet() == deadly) {
                killMyself();
            }
        };
        Restore restore = new Restore(Timepiece.system(), told);
        Path database = Path.of(arguments[1]);
        Path backup = Path.of(arguments[3]);
        try {
            if (arguments[0].equals("finish")) {
                System.out.println(">" + restore.finish(database));
            } else {
                RestoreRequest request = new RestoreRequest(
                        database,
                        Path.of(arguments[2]),
                        backup,
                        backup.toString(),
                        false,
                        false,
                        false,
                        1,
                        RestoreDemands.NONE,
                        Duration.ofMinutes(1));
                System.out.println(">" + restore.begin(request));
            }
        } catch (RestoreRefusedException ex) {
            System.out.println(">refused " + ex.getMessage());
        }
    }

    private static void killMyself() {
        try {
            new ProcessBuilder(
                            "kill", "-9", Long.toString(ProcessHandle.current().pid()))
                    .start()
                    .waitFor();
            Thread.sleep(60_000);
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }
}
