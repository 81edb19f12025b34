package io.asyncflow.flowsvr.edge.act;

import io.asyncflow.flowsvr.base.system.db.AfterCommit;
import io.asyncflow.rules.TaskId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Records acts. The row is part of the caller's transaction, so there is one if and only if the act
 * was done. After the commit it is also a line of JSON in the log {@value #LOG}. Thread-safe.
 */
@Component
public class Acts {

  /** The name of the logger, so that a collector can tell its lines from others. */
  public static final String LOG = "asyncflow.audit";

  private static final Logger log = LoggerFactory.getLogger(LOG);

  /** In ASCII, so that no text of a client begins a line. */
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private final ActStore store;
  private final CurrentActor current;

  Acts(ActStore store, CurrentActor current) {
    this.store = store;
    this.current = current;
  }

  /** Records an act of the caller in whose name this thread works. */
  public void record(Act act) {
    recordBy(current.get(), act);
  }

  /** Records an act that the server does by itself, whoever caused it. */
  public void recordOwn(Act act) {
    recordBy(Actor.SERVER, act);
  }

  /** Records an act of somebody in whose name this thread does not work. */
  public void recordBy(Actor actor, Act act) {
    recordAll(actor, List.of(act));
  }

  /** Records acts of the caller in whose name this thread works. */
  public void recordAll(List<Act> acts) {
    recordAll(current.get(), acts);
  }

  /** Records acts of somebody, who may be the server. */
  public void recordAll(Actor actor, List<Act> acts) {
    List<ActStore.Row> rows =
        acts.stream().map(act -> new ActStore.Row(actor, act, Detail.json(act.detail()))).toList();
    store.insert(rows);
    AfterCommit.run(() -> rows.forEach(row -> log.info(line(row))));
  }

  private static String line(ActStore.Row row) {
    Actor actor = row.actor();
    Act act = row.act();
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("act", act.kind());
    line.put("object", act.object());
    line.put("actor", actor.name());
    line.put("actorIp", Actor.text(actor.ip()));
    line.put("source", actor.source());
    line.put("traceId", actor.traceId());
    line.put("operator", act.reason().operator());
    line.put("reason", act.reason().text());
    line.put("statusBefore", act.before() == null ? null : act.before().code());
    line.put("statusAfter", act.after() == null ? null : act.after().code());
    line.put("newTaskId", text(act.copy()));
    line.put("detail", row.detail() == null ? null : JSON.readTree(row.detail()));
    line.values().removeIf(value -> value == null || "".equals(value));
    return JSON.writeValueAsString(line);
  }

  static String text(TaskId id) {
    return id == null ? null : id.toString();
  }
}
