package io.asyncflow.dev.command.work;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.Task;
import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.api.bulk.BulkClient;
import io.asyncflow.api.bulk.BulkPage;
import io.asyncflow.api.bulk.BulkPreview;
import io.asyncflow.api.bulk.NewBulk;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.BoundedCount.Kind;
import io.asyncflow.dev.command.option.ActOptions;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.PageOptions;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.text.BulkText;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./asyncflow bulk}: acts on all tasks of a server somewhere that match a search. */
@Command(
    name = "bulk",
    synopsisSubcommandLabel = "COMMAND",
    description =
        "Acts on all tasks of a running server that match a search: preview says what would be"
            + " done, and start does it.")
public final class BulkCommand extends ServerCommand {

  private static final String ID = "the id of the bulk";

  public BulkCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    super(environment, out, zone);
  }

  record Started(String bulkId) {}

  @Command(
      name = "preview",
      description = "Says what an act on all tasks that fit some words would do.")
  void preview(
      @Mixin ServerOption server,
      @Parameters(index = "0", paramLabel = "ACT", description = "${COMPLETION-CANDIDATES}")
          BulkAct act,
      @Parameters(
              index = "1..*",
              arity = "1..*",
              paramLabel = "WORDS",
              description = "as of task find, such as: type:tts status:failed")
          List<String> words,
      @Option(names = "--status", paramLabel = "N", description = "of SET_STATUS: 1, 4, 8 or 16")
          Integer status,
      @Option(
              names = "--run-at",
              paramLabel = "MS",
              description = "of RESCHEDULE: when, in ms since 1970")
          Long runAt,
      @Option(
              names = "--delay",
              paramLabel = "MS",
              description = "of RESCHEDULE: how long after the preview, in ms")
          Long delayMs,
      @Option(
              names = "--priority",
              paramLabel = "N",
              description = "of RESCHEDULE: seconds of head start")
          Integer priority,
      @Option(names = "--cap", paramLabel = "N", description = "the most tasks to act on")
          Integer cap,
      @Mixin Output output) {
    BulkArguments arguments = new BulkArguments(status, runAt, delayMs, priority);
    BulkPreview preview =
        bulks(server)
            .preview(new NewBulk(act, Map.of("q", String.join(" ", words)), arguments, cap));
    if (output.printed(preview, out)) {
      return;
    }
    out.println("%s would be tried on %s tasks.".formatted(preview.act(), text(preview.count())));
    preview.byStatus().forEach((name, tasks) -> line(name.toLowerCase(Locale.ROOT), text(tasks)));
    for (Task task : preview.samples()) {
      line(
          "such as",
          "%s  %s  %s".formatted(task.taskId(), task.taskStatus().name(), task.taskStage()));
    }
    if (preview.count().count() > preview.cap()) {
      line("cap", "it ends after " + text(preview.cap()));
    }
    out.println("Until " + times.of(preview.tokenUntil()) + " it is started by");
    out.println(
        OneLine.of(
            "bulk start %s --count %s --reason TEXT"
                .formatted(preview.token(), preview.count().count())));
  }

  private static String text(BoundedCount count) {
    return (count.kind() == Kind.EXACT ? "" : "at least ") + text(count.count());
  }

  private static String text(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  @Command(name = "start", description = "Starts what was previewed, and prints the bulk's id.")
  void start(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "TOKEN", description = "of the preview") String token,
      @Option(
              names = "--count",
              paramLabel = "N",
              required = true,
              description = "how many tasks the preview has found")
          long count,
      @Mixin ActOptions act,
      @Mixin Output output) {
    String reason = act.requiredReason("start");
    String id = bulks(server).start(token, count, act.operator(), reason);
    print(output, new Started(id), id);
  }

  @Command(name = "list", description = "Lists bulks, the newest first.")
  void list(@Mixin ServerOption server, @Mixin PageOptions page, @Mixin Output output) {
    BulkPage found = bulks(server).list(page.limit(), page.cursor());
    print(
        output,
        found,
        found.bulks(),
        BulkText.table(found.bulks(), times),
        "There are no bulks.",
        found.nextCursor());
  }

  @Command(name = "show", description = "Shows how far a bulk has come.")
  void show(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin Output output) {
    Bulk bulk = bulks(server).get(id);
    if (output.printed(bulk, out)) {
      return;
    }
    out.println(OneLine.of(bulk.bulkId()));
    line("state", bulk.state().name());
    line("error", bulk.error());
    line("act", bulk.act().name());
    line("search", bulk.filter().toString());
    line("expected", text(bulk.count()));
    line("done", text(bulk.done()));
    line("skipped", text(bulk.skipped()));
    line("refused", text(bulk.refused()));
    line("caller", bulk.principal());
    line("operator", bulk.operator());
    line("reason", bulk.reason());
    line("started", times.of(bulk.startTime()));
    line("ended", bulk.endTime() == null ? null : times.of(bulk.endTime()));
    line("ends about", bulk.endsAbout() == null ? null : times.of(bulk.endsAbout()));
    for (Bulk.Refusal refusal : bulk.refusals()) {
      line("refused", "%s: %s %s".formatted(refusal.taskId(), refusal.code(), refusal.msg()));
    }
  }

  @Command(name = "stop", description = "Stops a bulk; what it has done stays.")
  void stop(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin ActOptions act) {
    bulks(server).stop(id, act.operator(), act.reason());
    out.println("Stopped.");
  }

  @Command(name = "resume", description = "Lets a stopped bulk go on.")
  void resume(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin ActOptions act) {
    bulks(server).resume(id, act.operator(), act.reason());
    out.println("It goes on.");
  }

  private BulkClient bulks(ServerOption server) {
    return client(server).bulk();
  }
}
