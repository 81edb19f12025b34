package io.asyncflow.console.page;

import io.asyncflow.api.Call;
import io.asyncflow.console.frame.Form;
import io.asyncflow.console.frame.Visit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What an operator can do with objects of a kind: a row an act, with its verbs and its call. */
public final class ActTable {

  private record Row(Call<?> call, String idField, List<String> oneOf) {}

  private final String kind;
  private final Map<String, Row> rows = new HashMap<>();

  /**
   * @param kind of the objects, with which the keys of the words begin
   */
  public ActTable(String kind) {
    this.kind = kind;
  }

  /**
   * The same with a row.
   *
   * @param call without the id of an object and the reason
   * @param idField the field of the id
   * @param oneOf one of these verbs is needed
   */
  public ActTable with(String act, Call<?> call, String idField, String... oneOf) {
    rows.put(act, new Row(call, idField, List.of(oneOf)));
    return this;
  }

  /** The same with an act whose call has its name. */
  public ActTable with(String act, String... oneOf) {
    return with(act, Call.to("/api/" + kind + "/" + act), kind + "Id", oneOf);
  }

  /** The same with a pause of what has a name, and its end. */
  public ActTable withPause(String verb) {
    String of = kind.toUpperCase(Locale.ROOT);
    return with("pause", Call.to("/api/pause/set").with("kind", of), "name", verb)
        .with("resume", Call.to("/api/pause/clear").with("kind", of), "name", verb);
  }

  /**
   * An act as a page shows it.
   *
   * @param path to which its form goes
   */
  public Act act(Visit visit, String act, String path, Object... query) {
    boolean isPermitted = rows.get(act).oneOf().stream().anyMatch(visit::may);
    return Act.of(isPermitted, kind + "_" + act, visit.to(path, query));
  }

  /** The call that a form asks for. */
  public Call<?> call(Visit visit, String act, String id) {
    Row row = rows.get(act);
    if (row == null) {
      throw Form.noPage();
    }
    return row.call().with(row.idField(), id).with("reason", visit.form().given("reason"));
  }

  /**
   * Does what a form asks for.
   *
   * @return the key of what was done
   */
  public String perform(Visit visit, String act, String id) {
    visit.send(call(visit, act, id));
    return kind + "_" + act;
  }
}
