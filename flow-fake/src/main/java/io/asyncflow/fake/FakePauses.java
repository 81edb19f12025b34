package io.asyncflow.fake;

import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.api.pause.PausePage;
import io.asyncflow.rules.PausedName;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.PauseFields;
import io.asyncflow.rules.field.SentFields;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The pauses of a {@link FakeFlowServer}, guarded by its lock. */
final class FakePauses {

  private static final Comparator<PausedName> ORDER =
      Comparator.comparing(PausedName::kind).thenComparing(PausedName::text);

  private final FakeFlowServer server;
  private final NavigableMap<PausedName, Pause> pauses = new TreeMap<>(ORDER);

  FakePauses(FakeFlowServer server) {
    this.server = server;
  }

  void answer(FakeCalls calls) {
    calls
        .act("/api/pause/set", this::set)
        .act("/api/pause/clear", this::clear)
        .read("/api/pause/list", this::list);
  }

  private void set(SentFields in) {
    PausedName of = PauseFields.name(in);
    Long untilMs = PauseFields.until(in, server.millis());
    in.refuseIfBad();
    if (of.kind() != PauseKind.WORKER) {
      server.types.named(of.type().name());
    }
    Pause before = pauses.get(of);
    pauses.put(
        of,
        new Pause(
            of.kind(),
            of.text(),
            untilMs,
            in.text("operator").or(""),
            in.text("reason").or(""),
            before == null ? server.millis() : before.pauseTime()));
    if (of.kind() == PauseKind.TYPE) {
      server.types.setPaused(of.text(), true);
    }
    server.notifyAll();
  }

  private void clear(SentFields in) {
    PausedName of = PauseFields.name(in);
    in.refuseIfBad();
    if (of.kind() == PauseKind.TYPE) {
      server.types.named(of.text());
    }
    end(of);
  }

  private void end(PausedName name) {
    pauses.remove(name);
    if (name.kind() == PauseKind.TYPE) {
      server.types.setPaused(name.text(), false);
    }
    server.notifyAll();
  }

  private PausePage list(SentFields in) {
    server.sweep();
    PauseKind kind = PauseFields.listed(in);
    int limit = PageFields.limit(in);
    PausedName after = PauseFields.after(in);
    in.refuseIfBad();
    NavigableMap<PausedName, Pause> left = after == null ? pauses : pauses.tailMap(after, false);
    List<Pause> page =
        left.values().stream()
            .filter(pause -> kind == null || pause.kind() == kind)
            .limit(limit)
            .toList();
    Pause last = page.size() < limit ? null : page.get(limit - 1);
    return new PausePage(page, last == null ? null : last.kind() + ":" + last.name());
  }

  boolean hasWorker(String workerId) {
    return workerId != null && pauses.containsKey(new PausedName(PauseKind.WORKER, workerId));
  }

  boolean hasStage(String taskType, String stage) {
    return pauses.containsKey(new PausedName(PauseKind.STAGE, taskType + "/" + stage));
  }

  /** A type was saved as paused or not. */
  void saved(String taskType, boolean paused) {
    PausedName name = new PausedName(PauseKind.TYPE, taskType);
    if (paused) {
      pauses.putIfAbsent(name, new Pause(PauseKind.TYPE, taskType, null, "", "", server.millis()));
    } else {
      pauses.remove(name);
    }
  }

  /** Ends the pauses whose time has come. */
  void endDue() {
    for (PausedName name : new ArrayList<>(pauses.keySet())) {
      Long until = pauses.get(name).until();
      if (until != null && until <= server.millis()) {
        end(name);
      }
    }
  }
}
