package io.asyncflow.dev.command.work;

import static io.asyncflow.dev.command.option.Argument.CURSOR;
import static io.asyncflow.dev.command.option.Argument.JSON;
import static io.asyncflow.dev.command.option.Argument.LIMIT;
import static io.asyncflow.dev.command.option.Argument.OPERATOR;
import static io.asyncflow.dev.command.option.Argument.REASON;
import static io.asyncflow.dev.command.option.Argument.option;
import static io.asyncflow.dev.command.option.Argument.parameter;

import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.api.bulk.BulkPage;
import io.asyncflow.api.bulk.BulkPreview;
import io.asyncflow.api.bulk.NewBulk;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.BoundedCount.Kind;
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Run;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.text.Layout;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code ./asyncflow bulk}: acts on all tasks of a server somewhere that match a search. */
public final class BulkCommand extends CommandEntry {

  private static final Argument<String> ID = parameter("ID", "the id of the bulk");
  private static final Argument<BulkAct> ACT =
      parameter("ACT", "${COMPLETION-CANDIDATES}").as(BulkAct.class);
  private static final Argument<List<String>> WORDS =
      parameter("WORDS", "as of task find, such as: type:tts status:failed").rest();
  private static final Argument<Integer> STATUS =
      option("--status", "N", "of SET_STATUS: 1, 4, 8 or 16").as(Integer.class);
  private static final Argument<Long> RUN_AT =
      option("--run-at", "MS", "of RESCHEDULE: when, in ms since 1970").as(Long.class);
  private static final Argument<Long> DELAY =
      option("--delay", "MS", "of RESCHEDULE: how long after the preview, in ms").as(Long.class);
  private static final Argument<Integer> PRIORITY =
      option("--priority", "N", "of RESCHEDULE: seconds of head start").as(Integer.class);
  private static final Argument<Integer> CAP =
      option("--cap", "N", "the most tasks to act on").as(Integer.class);
  private static final Argument<String> TOKEN = parameter("TOKEN", "of the preview");
  private static final Argument<Long> COUNT =
      option("--count", "N", "how many tasks the preview has found").as(Long.class).required();

  private static final Layout<Bulk> TABLE =
      new Layout<Bulk>()
          .value("BULK", Bulk::bulkId)
          .value("STATE", Bulk::state)
          .value("ACT", Bulk::act)
          .value("DONE", Bulk::done)
          .value("SKIPPED", Bulk::skipped)
          .value("REFUSED", Bulk::refused)
          .time("STARTED", Bulk::startTime)
          .value("REASON", Bulk::reason);

  private static final Layout<Bulk> SHEET =
      new Layout<>(Bulk::bulkId)
          .value("state", Bulk::state)
          .value("error", Bulk::error)
          .value("act", Bulk::act)
          .value("search", Bulk::filter)
          .value("expected", bulk -> text(bulk.count()))
          .value("done", bulk -> text(bulk.done()))
          .value("skipped", bulk -> text(bulk.skipped()))
          .value("refused", bulk -> text(bulk.refused()))
          .value("caller", Bulk::principal)
          .value("operator", Bulk::operator)
          .value("reason", Bulk::reason)
          .time("started", Bulk::startTime)
          .time("ended", Bulk::endTime)
          .time("ends about", Bulk::endsAbout);

  public BulkCommand(Terminal terminal) {
    super(terminal, "bulk");
    says(
        "Acts on all tasks of a running server that match a search: preview says what would be"
            + " done, and start does it.");
    command("preview", ACT, WORDS, STATUS, RUN_AT, DELAY, PRIORITY, CAP, JSON)
        .says("Says what an act on all tasks that fit some words would do.")
        .does(BulkCommand::preview);
    command("start", TOKEN, COUNT, OPERATOR, REASON, JSON)
        .says("Starts what was previewed, and prints the bulk's id.")
        .does(BulkCommand::start);
    command("list", LIMIT, CURSOR, JSON)
        .says("Lists bulks, the newest first.")
        .does(
            run -> {
              BulkPage found = run.flow().bulk().list(run.get(LIMIT), run.get(CURSOR));
              run.table(found, found.bulks(), TABLE, "There are no bulks.", found.nextCursor());
            });
    command("show", ID, JSON)
        .says("Shows how far a bulk has come.")
        .does(
            run -> {
              Bulk bulk = run.flow().bulk().get(run.get(ID));
              run.sheet(bulk, SHEET);
              bulk.refusals()
                  .forEach(
                      of -> run.line("refused", of.taskId() + ": " + of.code() + " " + of.msg()));
            });
    act("stop", ID, "Stopped.", (flow, id, by, why) -> flow.bulk().stop(id, by, why))
        .says("Stops a bulk; what it has done stays.");
    act("resume", ID, "It goes on.", (flow, id, by, why) -> flow.bulk().resume(id, by, why))
        .says("Lets a stopped bulk go on.");
  }

  record Started(String bulkId) {}

  private static void preview(Run run) {
    BulkArguments arguments =
        new BulkArguments(run.get(STATUS), run.get(RUN_AT), run.get(DELAY), run.get(PRIORITY));
    Map<String, Object> filter = Map.of("q", String.join(" ", run.get(WORDS)));
    NewBulk bulk = new NewBulk(run.get(ACT), filter, arguments, run.get(CAP));
    BulkPreview preview = run.answer(run.flow().bulk().preview(bulk));
    run.say("%s would be tried on %s tasks.".formatted(preview.act(), text(preview.count())));
    preview
        .byStatus()
        .forEach((name, tasks) -> run.line(name.toLowerCase(Locale.ROOT), text(tasks)));
    preview
        .samples()
        .forEach(
            task ->
                run.line(
                    "such as", task.taskId() + "  " + task.taskStatus() + "  " + task.taskStage()));
    if (preview.count().count() > preview.cap()) {
      run.line("cap", "it ends after " + text(preview.cap()));
    }
    run.say("Until " + run.times().of(preview.tokenUntil()) + " it is started by");
    run.say(
        "bulk start %s --count %s --reason TEXT"
            .formatted(preview.token(), preview.count().count()));
  }

  private static void start(Run run) {
    String reason = run.requiredReason();
    String id = run.flow().bulk().start(run.get(TOKEN), run.get(COUNT), run.operator(), reason);
    run.answer(new Started(id));
    run.say(id);
  }

  private static String text(BoundedCount count) {
    return (count.kind() == Kind.EXACT ? "" : "at least ") + text(count.count());
  }

  private static String text(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }
}
