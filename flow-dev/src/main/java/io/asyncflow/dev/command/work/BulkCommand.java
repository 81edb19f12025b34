package io.asyncflow.dev.command.work;

import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.api.bulk.BulkClient;
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
    addPreview();
    Argument<String> token = parameter("TOKEN", "of the preview");
    Argument<Long> count =
        option("--count", "N", "how many tasks the preview has found").as(Long.class).required();
    command("start", token, count, OPERATOR, REASON, JSON)
        .says("Starts what was previewed, and prints the bulk's id.")
        .does(
            run -> {
              String reason = run.requiredReason();
              BulkClient bulks = run.flow().bulk();
              run.sayId(
                  "bulkId", bulks.start(run.get(token), run.get(count), run.operator(), reason));
            });
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
    command("stop", ID, OPERATOR, REASON)
        .says("Stops a bulk; what it has done stays.")
        .does("Stopped.", run -> run.flow().bulk().stop(run.get(ID), run.operator(), run.reason()));
    command("resume", ID, OPERATOR, REASON)
        .says("Lets a stopped bulk go on.")
        .does(
            "It goes on.",
            run -> run.flow().bulk().resume(run.get(ID), run.operator(), run.reason()));
  }

  private void addPreview() {
    Argument<BulkAct> act = parameter("ACT", "${COMPLETION-CANDIDATES}").as(BulkAct.class);
    Argument<List<String>> words =
        parameter("WORDS", "as of task find, such as: type:tts status:failed").rest();
    Argument<Integer> status =
        option("--status", "N", "of SET_STATUS: 1, 4, 8 or 16").as(Integer.class);
    Argument<Long> runAt =
        option("--run-at", "MS", "of RESCHEDULE: when, in ms since 1970").as(Long.class);
    Argument<Long> delay =
        option("--delay", "MS", "of RESCHEDULE: how long after the preview, in ms").as(Long.class);
    Argument<Integer> priority =
        option("--priority", "N", "of RESCHEDULE: seconds of head start").as(Integer.class);
    Argument<Integer> cap = option("--cap", "N", "the most tasks to act on").as(Integer.class);
    command("preview", act, words, status, runAt, delay, priority, cap, JSON)
        .says("Says what an act on all tasks that fit some words would do.")
        .does(
            run -> {
              BulkArguments arguments =
                  new BulkArguments(
                      run.get(status), run.get(runAt), run.get(delay), run.get(priority));
              Map<String, Object> filter = Map.of("q", String.join(" ", run.get(words)));
              preview(run, new NewBulk(run.get(act), filter, arguments, run.get(cap)));
            });
  }

  private static void preview(Run run, NewBulk bulk) {
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

  private static String text(BoundedCount count) {
    return (count.kind() == Kind.EXACT ? "" : "at least ") + text(count.count());
  }

  private static String text(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }
}
