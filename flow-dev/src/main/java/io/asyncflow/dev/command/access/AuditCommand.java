package io.asyncflow.dev.command.access;

import io.asyncflow.api.act.ActFilter;
import io.asyncflow.api.act.ActPage;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.PageOptions;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.command.option.TimeSpan;
import io.asyncflow.dev.environment.ActVerifier;
import io.asyncflow.dev.environment.ActVerifier.Link;
import io.asyncflow.dev.environment.ActVerifier.Verdict;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.text.ActText;
import java.io.PrintStream;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code ./asyncflow audit}: shows and verifies the record of acts. */
@Command(
    name = "audit",
    synopsisSubcommandLabel = "COMMAND",
    description = "Shows who did what by hand, and verifies that nobody has changed the record.")
public final class AuditCommand extends ServerCommand {

  public AuditCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    super(environment, out, zone);
  }

  /** A link of the chain. */
  static final class LinkText implements ITypeConverter<Link> {
    @Override
    public Link convert(String text) {
      try {
        return Link.parse(text);
      } catch (UsageException e) {
        throw new TypeConversionException("wants a link as verify prints it, not " + text);
      }
    }
  }

  @Command(name = "list", description = "Shows acts, newest first.")
  void list(
      @Mixin ServerOption server,
      @Option(
              names = "--actor",
              paramLabel = "ACTOR",
              description = "only those of this caller, such as key:3Qm81LtzGh")
          String actor,
      @Option(
              names = "--object",
              paramLabel = "OBJECT",
              description = "only those on this object, such as type:lark or task:ID")
          String object,
      @Option(names = "--act", paramLabel = "ACT", description = "only those, such as CANCEL")
          String act,
      @Option(
              names = "--last",
              paramLabel = "TIME",
              converter = TimeSpan.class,
              description = "only those of the last hours or days, such as 2h")
          Duration last,
      @Mixin PageOptions page,
      @Mixin Output output) {
    Long from = last == null ? null : (Long) (System.currentTimeMillis() - last.toMillis());
    ActPage found =
        client(server)
            .acts()
            .list(new ActFilter(actor, object, act, from, null), page.limit(), page.cursor());
    print(
        output,
        found,
        found.actList(),
        ActText.table(found.actList(), times),
        "There are no such acts.",
        found.nextCursor());
  }

  @Command(
      name = "verify",
      description =
          "Compares the record with its chain, in the database of FLOW_MYSQL_URL, FLOW_MYSQL_USER"
              + " and FLOW_MYSQL_PASSWORD, and names the first act that is not as it was recorded.")
  void verify(
      @Option(
              names = "--retention",
              paramLabel = "TIME",
              defaultValue = "365d",
              converter = TimeSpan.class,
              description =
                  "how long the servers keep acts, --flow.act-retention (${DEFAULT-VALUE})")
          Duration retention,
      @Option(
              names = "--expect",
              paramLabel = "LINK",
              converter = LinkText.class,
              description = {
                "a link that was kept elsewhere, as verify or the log asyncflow.audit has said it;",
                "without one, a chain that was made anew goes unnoticed"
              })
          Link expected) {
    Verdict verdict = new ActVerifier(environment).verify(retention, expected);
    if (verdict.fault() != null) {
      throw new DevException(verdict.fault());
    }
    out.println(verdict.verified() + " acts are as they were recorded.");
    if (verdict.waiting() > 0) {
      out.println(verdict.waiting() + " acts have no link yet; the leader adds it within minutes.");
    }
    if (verdict.last() != null) {
      out.println("last link " + verdict.last());
    }
  }
}
