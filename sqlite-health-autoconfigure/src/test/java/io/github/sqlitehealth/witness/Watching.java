package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.fixture.FakeTime;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.OwnDescriptors;
import java.nio.file.Path;
import java.time.Duration;

/** The identity witness on a real file, looked through as the watch does it. */
final class Watching implements AutoCloseable {

    final Anchor anchor;
    final IdentityWitness witness;
    final FakeTime time = new FakeTime();

    /** As on Linux. */
    Watching(Path file) {
        this(file, Path.of("/proc"), "lsof", false);
    }

    /** As where {@code /proc} is hidden. */
    Watching(Path file, Path proc, String lsof, boolean seenBefore) {
        anchor = new Anchor(file, true);
        HeldFiles held = new HeldFiles(new OwnDescriptors(proc), new Holders(proc, lsof), anchor::generation);
        witness = new IdentityWitness(file, held, anchor, seenBefore, time.timepiece());
    }

    Testimony look() throws Exception {
        time.pass(Duration.ofSeconds(1));
        Moment start = time.now();
        Look first = witness.look();
        if (!witness.needsSecondLook(first)) {
            return witness.say(first, start);
        }
        Thread.sleep(IdentityWitness.APART_MILLIS);
        return witness.say(first, witness.look(), start);
    }

    @Override
    public void close() {
        anchor.close();
    }
}
