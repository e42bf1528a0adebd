package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.FreshWitness;
import io.github.sqlitehealth.witness.HandleFacts;
import io.github.sqlitehealth.witness.LiveWitness;
import io.github.sqlitehealth.witness.Said;
import io.github.sqlitehealth.witness.Section;
import io.github.sqlitehealth.witness.Timepiece;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Asks those who read, and believes a failure only when it is about the file at the path. */
final class Readers {

    private static final String STRANGE = "this process holds other files than those at the paths";

    private final LiveWitness live;
    private final FreshWitness fresh;
    private final ContentWitness content;
    private final IdentityCheck identity;
    private final Desk desk;
    private final Timepiece time;

    Readers(
            LiveWitness live,
            FreshWitness fresh,
            ContentWitness content,
            IdentityCheck identity,
            Desk desk,
            Timepiece time) {
        this.live = live;
        this.fresh = fresh;
        this.content = content;
        this.identity = identity;
        this.desk = desk;
        this.time = time;
    }

    /**
     * A stranded process is left alone: what it reads tells nothing of the file at the path, and a pooled connection
     * that has not read before would open, and create, the sidecars by name.
     */
    Said askLive() {
        if (identity.stranded()) {
            return unasked(Witness.LIVE, Check.QUICK, Section.missing(STRANGE));
        }
        Said said = live.ask();
        desk.facts(said.facts(), null);
        return aboutTheFile(said);
    }

    /** A new connection of a stranded process is no second opinion. */
    Said askFresh(Check check, Duration limit) {
        if (identity.stranded()) {
            return unasked(Witness.FRESH, check, Section.missing(STRANGE));
        }
        Said said = fresh.ask(check, live.bearable(), limit);
        desk.facts(null, said.facts());
        return aboutTheFile(said);
    }

    /**
     * Whether a failure is about the file at the path is for another look to say: the files may have been swapped while
     * a connection was asked. What a stranded process reads, such as error 522, is never damage.
     */
    private Said aboutTheFile(Said said) {
        if (!said.testimony().bad()) {
            return said;
        }
        identity.lookNow();
        return identity.stranded()
                ? unasked(said.testimony().witness(), said.testimony().check(), said.facts())
                : said;
    }

    private Said unasked(Witness witness, Check check, Section<HandleFacts> facts) {
        return new Said(
                new Testimony(witness, check, Answer.UNASKED, Reason.STALE_FILES, STRANGE, time.now(), Duration.ZERO),
                facts);
    }

    /** Whether what was there is still there; nobody can tell while this process is stranded. */
    @Nullable
    Testimony askContent() {
        return identity.stranded() ? null : content.ask();
    }

    /** Lets the application have new connections. */
    boolean replaceConnections() {
        return live.replaceAll();
    }
}
