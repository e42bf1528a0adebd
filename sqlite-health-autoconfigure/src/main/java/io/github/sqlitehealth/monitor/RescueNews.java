package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.recovery.AtStop;
import io.github.sqlitehealth.recovery.PooledPragma.Coverage;
import io.github.sqlitehealth.recovery.RescueCopy;
import io.github.sqlitehealth.recovery.RescueState;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is told of one incident: every new state is published, and what a stop would do is said when that changes. */
final class RescueNews {

    private final boolean freezes;
    private final CopyRounds rounds;
    private final Consumer<@Nullable RescueState> publish;
    private final Consumer<String> tell;
    private @Nullable RescueState last;
    private boolean over;

    RescueNews(boolean freezes, CopyRounds rounds, Consumer<@Nullable RescueState> publish, Consumer<String> tell) {
        this.freezes = freezes;
        this.rounds = rounds;
        this.publish = publish;
        this.tell = tell;
    }

    /** @param failure what else could not be done; null when nothing */
    void now(Coverage frozen, boolean coversAll, AtStop plan, @Nullable String failure) {
        RescueState now = new RescueState(
                frozen, rounds.copies().last(), coversAll && nothingIsLacking(), plan, problems(frozen, failure));
        RescueState before = last;
        if (over || now.equals(before)) {
            return;
        }
        last = now;
        publish.accept(now);
        if (before == null || !plan.equals(before.atStop())) {
            tell.accept("a graceful stop would " + plan.key() + ": " + plan.why());
        }
    }

    private @Nullable String problems(Coverage frozen, @Nullable String failure) {
        String unseen = frozen.unseen() == 0 || !freezes
                ? null
                : "the connections of " + frozen.unseen()
                        + " DataSource(s) cannot be seen, since they are not in a HikariCP pool: they may checkpoint";
        String problems = Stream.of(
                        freezes ? null : "checkpoints go on: sqlite.health.stranded.freeze is false",
                        unseen,
                        rounds.problem(),
                        rounds.copies().lacking(),
                        failure)
                .filter(Objects::nonNull)
                .collect(Collectors.joining("; "));
        return problems.isEmpty() ? null : problems;
    }

    /** Whether the copy held everything when it was last told. */
    boolean coveredAll() {
        return last != null && last.coversAll();
    }

    private boolean nothingIsLacking() {
        return rounds.copies().lacking() == null;
    }

    /** It has come to its end. */
    void over(boolean coversAll) {
        RescueCopy copy = rounds.copies().last();
        over = true;
        RescueState end = null;
        if (copy != null) {
            String lacking = rounds.copies().lacking();
            String fate =
                    "the lost files are let go: what was written into them is in the copy, and in the database only"
                            + " if the last connection has merged it" + (lacking == null ? "" : "; " + lacking);
            tell.accept(fate + "; " + copy.file());
            end = new RescueState(null, copy, coversAll && lacking == null, null, fate);
        }
        last = end;
        publish.accept(end);
    }
}
