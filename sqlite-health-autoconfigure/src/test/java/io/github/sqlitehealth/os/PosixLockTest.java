package io.github.sqlitehealth.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PosixLockTest {

    @Test
    void onlyPosixLocksThatAreHeldAreListed() {
        List<String> fdinfo = List.of(
                "pos:\t0",
                "flags:\t02100002",
                "mnt_id:\t27",
                "ino:\t2146353",
                "lock:\t1: POSIX  ADVISORY  READ  1234 fe:00:2146353 128 128",
                "lock:\t2: POSIX  ADVISORY  WRITE 1234 fe:00:2146353 1073741826 1073742335",
                "lock:\t3: POSIX  ADVISORY  WRITE 1234 fe:00:2146353 0 EOF",
                "lock:\t4: FLOCK  ADVISORY  WRITE 1234 fe:00:2146353 0 EOF",
                "lock:\t5: OFDLCK ADVISORY  READ  -1 fe:00:2146353 0 EOF",
                "lock:\t6: -> POSIX ADVISORY WRITE 1234 fe:00:2146353 0 EOF",
                "lock:\t7: LEASE  ACTIVE    READ  1234 fe:00:2146353 0 EOF",
                "lock:",
                "lock:\t8: POSIX  ADVISORY  READ  1234 fe:00:2146353 some thing");
        assertThat(PosixLock.parse(fdinfo))
                .containsExactly(
                        new PosixLock("READ", 128, 128),
                        new PosixLock("WRITE", 1073741826, 1073742335),
                        new PosixLock("WRITE", 0, Long.MAX_VALUE));
    }
}
