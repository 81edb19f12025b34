package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseClient;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.api.pause.PausePage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;

/** The pauses of a {@link FakeFlowServer}, guarded by its lock. */
final class FakePauses implements PauseClient {

  private static final Comparator<Name> ORDER =
      Comparator.comparing(Name::kind).thenComparing(Name::text);

  private final FakeFlowServer server;
  private final TreeMap<Name, Pause> pauses = new TreeMap<>(ORDER);

  FakePauses(FakeFlowServer server) {
    this.server = server;
  }

  private record Name(PauseKind kind, String text) {

    static Name ofStage(String taskType, String stage) {
      return new Name(PauseKind.STAGE, taskType + "/" + stage);
    }
  }

  @Override
  public void set(PauseKind kind, String name, Instant until, String operator, String reason) {
    synchronized (server) {
      server.before();
      Name of = nameOf(kind, name);
      Long untilMs = until == null ? null : until.toEpochMilli();
      if (untilMs != null && untilMs <= server.millis()) {
        throw new FlowException(ErrorCode.INVALID_INPUT, "until must lie in the future");
      }
      Pause before = pauses.get(of);
      pauses.put(
          of,
          new Pause(
              kind,
              of.text(),
              untilMs,
              Objects.requireNonNullElse(operator, ""),
              Objects.requireNonNullElse(reason, ""),
              before == null ? server.millis() : before.pauseTime()));
      if (kind == PauseKind.TYPE) {
        server.types.setPaused(of.text(), true);
      }
      server.notifyAll();
      server.after();
    }
  }

  @Override
  public void clear(PauseKind kind, String name, String operator, String reason) {
    synchronized (server) {
      server.before();
      end(nameOf(kind, name));
      server.after();
    }
  }

  private void end(Name name) {
    pauses.remove(name);
    if (name.kind() == PauseKind.TYPE) {
      server.types.setPaused(name.text(), false);
    }
    server.notifyAll();
  }

  @Override
  public PausePage list(PauseKind kind, int limit, String cursor) {
    synchronized (server) {
      server.before();
      server.sweep();
      int from = cursor == null ? 0 : Integer.parseInt(cursor);
      List<Pause> all =
          pauses.values().stream().filter(pause -> kind == null || pause.kind() == kind).toList();
      int end = Math.min(from + limit, all.size());
      return new PausePage(all.subList(from, end), end < all.size() ? "" + end : null);
    }
  }

  /** The type must exist, and is shown in lower case. */
  private Name nameOf(PauseKind kind, String name) {
    if (kind == PauseKind.WORKER) {
      return new Name(kind, name);
    }
    int slash = name.indexOf('/');
    if (kind == PauseKind.STAGE && slash < 0) {
      throw new FlowException(ErrorCode.INVALID_INPUT, "name must be type/stage");
    }
    String type = kind == PauseKind.TYPE ? name : name.substring(0, slash);
    server.types.named(type);
    return new Name(kind, type.toLowerCase(Locale.ROOT) + name.substring(type.length()));
  }

  boolean hasWorker(String workerId) {
    return workerId != null && pauses.containsKey(new Name(PauseKind.WORKER, workerId));
  }

  boolean hasStage(String taskType, String stage) {
    return pauses.containsKey(Name.ofStage(taskType, stage));
  }

  /** A type was saved as paused or not. */
  void saved(String taskType, boolean paused) {
    Name name = new Name(PauseKind.TYPE, taskType);
    if (paused) {
      pauses.putIfAbsent(name, new Pause(PauseKind.TYPE, taskType, null, "", "", server.millis()));
    } else {
      pauses.remove(name);
    }
  }

  /** Ends the pauses whose time has come. */
  void endDue() {
    for (Name name : new ArrayList<>(pauses.keySet())) {
      Long until = pauses.get(name).until();
      if (until != null && until <= server.millis()) {
        end(name);
      }
    }
  }
}
