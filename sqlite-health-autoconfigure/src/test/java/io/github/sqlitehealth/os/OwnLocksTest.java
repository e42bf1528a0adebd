package io.github.sqlitehealth.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines as Linux writes them, of this process and of others. */
class OwnLocksTest {

    private static final FileId FILE = new FileId(0xfe00, 2465852);

    private static final long ANY = System.nanoTime() - Duration.ofHours(1).toNanos();

    @TempDir
    Path proc;

    private final long self = ProcessHandle.current().pid();

    @Test
    void aRangeIsCoveredByALockThatIsAsWide() throws Exception {
        OwnLocks locks = locks("1: POSIX  ADVISORY  READ " + self + " fe:00:2465852 128 128\n"
                + "2: POSIX  ADVISORY  READ " + self + " fe:00:2465852 1073741826 1073742335\n");
        assertThat(locks.covers(FILE, 128, 128, ANY)).isTrue();
        assertThat(locks.covers(FILE, 1_073_741_826L, 1_073_742_335L, ANY)).isTrue();
        assertThat(locks.covers(FILE, 128, 129, ANY)).isFalse();
        assertThat(locks.covers(new FileId(0xfe00, 2465853), 128, 128, ANY)).isFalse();
        assertThat(locks.covers(new FileId(0xfe01, 2465852), 128, 128, ANY)).isFalse();
    }

    @Test
    void aLockToTheEndOfTheFileCoversAll() throws Exception {
        assertThat(locks("12: POSIX  ADVISORY  WRITE " + self + " fe:00:2465852 0 EOF\n")
                        .covers(FILE, 5, Long.MAX_VALUE, ANY))
                .isTrue();
    }

    @Test
    void locksOfOthersOtherKindsAndRequestsThatWaitDoNotCount() throws Exception {
        OwnLocks locks = locks("1: POSIX  ADVISORY  READ " + (self + 1) + " fe:00:2465852 128 128\n"
                + "2: FLOCK  ADVISORY  WRITE " + self + " fe:00:2465852 0 EOF\n"
                + "3: -> POSIX  ADVISORY  READ " + self + " fe:00:2465852 128 128\n"
                + "\n4: OFDLCK ADVISORY  READ -1 fe:00:2465852 128 128");
        assertThat(locks.covers(FILE, 128, 128, ANY)).isFalse();
    }

    @Test
    void theLastLineNeedsNoEnd() throws Exception {
        assertThat(locks("1: POSIX  ADVISORY  READ " + self + " fe:00:2465852 128 128")
                        .covers(FILE, 128, 128, ANY))
                .isTrue();
    }

    @Test
    void aReadingOfVeryManyLocksServesTheNextLookToo() throws Exception {
        StringBuilder many = new StringBuilder();
        for (int line = 1; line <= 600; line++) {
            many.append(line).append(": POSIX  ADVISORY  READ ").append(self).append(" fe:00:2465852 128 128\n");
        }
        long before = System.nanoTime();
        OwnLocks locks = locks(many.toString());
        assertThat(locks.covers(FILE, 128, 128, before)).isTrue();
        Files.writeString(proc.resolve("locks"), "");
        long after = System.nanoTime();
        LockSupport.parkNanos(Duration.ofMillis(400).toNanos());
        assertThat(locks.covers(FILE, 128, 128, before)).as("0.4 s old").isTrue();
        assertThat(locks.covers(FILE, 128, 128, after))
                .as("begun too early for whoever asks")
                .isFalse();
    }

    @Test
    void whatIsLostAmongVeryManyLocksIsFoundBeforeTheSecondLook() throws Exception {
        OwnLocks locks = locks(("1: POSIX  ADVISORY  READ " + self + " fe:00:2465852 128 128\n").repeat(600));
        long before = System.nanoTime();
        assertThat(locks.covers(FILE, 128, 128, before)).isTrue();
        Files.writeString(proc.resolve("locks"), "");
        await().atMost(Duration.ofMillis(1_900))
                .untilAsserted(
                        () -> assertThat(locks.covers(FILE, 128, 128, before)).isFalse());
    }

    private OwnLocks locks(String text) throws Exception {
        Files.writeString(proc.resolve("locks"), text);
        return new OwnLocks(proc);
    }
}
