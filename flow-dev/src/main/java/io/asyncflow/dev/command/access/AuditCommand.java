package io.asyncflow.dev.command.access;

import io.asyncflow.api.act.ActFilter;
import io.asyncflow.api.act.ActPage;
import io.asyncflow.api.act.ListedAct;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Run;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.environment.ActVerifier;
import io.asyncflow.dev.environment.ActVerifier.Link;
import io.asyncflow.dev.environment.ActVerifier.Verdict;
import io.asyncflow.dev.text.Layout;
import java.time.Duration;
import java.util.Objects;
import picocli.CommandLine.TypeConversionException;

/** {@code ./asyncflow audit}: shows and verifies the record of acts. */
public final class AuditCommand extends CommandEntry {

  private static final Layout<ListedAct> TABLE =
      new Layout<ListedAct>()
          .time("TIME", ListedAct::time)
          .value("ACT", ListedAct::act)
          .value("OBJECT", ListedAct::object)
          .value("ACTOR", ListedAct::actor)
          .value("FROM", act -> Objects.requireNonNullElse(act.actorIp(), "-"))
          .value("OPERATOR", ListedAct::operator)
          .value("REASON", ListedAct::reason);

  public AuditCommand(Terminal terminal) {
    super(terminal, "audit");
    says("Shows who did what by hand, and verifies that nobody has changed the record.");
    addList();
    Argument<Duration> retention =
        option(
                "--retention",
                "TIME",
                "how long the servers keep acts, --flow.act-retention (${DEFAULT-VALUE})")
            .span()
            .byDefault("365d");
    Argument<Link> expected =
        option(
                "--expect",
                "LINK",
                "a link that was kept elsewhere, as verify or the log asyncflow.audit has said it;",
                "without one, a chain that was made anew goes unnoticed")
            .as(Link.class, (text, times) -> link(text));
    local("verify", retention, expected)
        .says(
            "Compares the record with its chain, in the database of FLOW_MYSQL_URL, FLOW_MYSQL_USER"
                + " and FLOW_MYSQL_PASSWORD, and names the first act that is not as it was"
                + " recorded.")
        .does(run -> verify(run, run.get(retention), run.get(expected)));
  }

  private void addList() {
    Argument<String> actor =
        option("--actor", "ACTOR", "only those of this caller, such as key:3Qm81LtzGh");
    Argument<String> object =
        option("--object", "OBJECT", "only those on this object, such as type:lark or task:ID");
    Argument<String> act = option("--act", "ACT", "only those, such as CANCEL");
    Argument<Duration> last =
        option("--last", "TIME", "only those of the last hours or days, such as 2h").span();
    command("list", actor, object, act, last, LIMIT, CURSOR, JSON)
        .says("Shows acts, newest first.")
        .does(
            run -> {
              Long from = run.get(last) == null ? null : (Long) before(run.get(last));
              ActFilter filter =
                  new ActFilter(run.get(actor), run.get(object), run.get(act), from, null);
              ActPage found = run.flow().acts().list(filter, run.get(LIMIT), run.get(CURSOR));
              run.table(
                  found, found.actList(), TABLE, "There are no such acts.", found.nextCursor());
            });
  }

  private static long before(Duration span) {
    return System.currentTimeMillis() - span.toMillis();
  }

  private static Link link(String text) {
    try {
      return Link.parse(text);
    } catch (UsageException e) {
      throw new TypeConversionException("wants a link as verify prints it, not " + text);
    }
  }

  private static void verify(Run run, Duration retention, Link expected) {
    Verdict verdict = new ActVerifier(run.environment()).verify(retention, expected);
    if (verdict.fault() != null) {
      throw new DevException(verdict.fault());
    }
    run.say(verdict.verified() + " acts are as they were recorded.");
    run.sayIf(
        verdict.waiting() > 0,
        verdict.waiting() + " acts have no link yet; the leader adds it within minutes.");
    run.sayIf(verdict.last() != null, "last link " + verdict.last());
  }
}
