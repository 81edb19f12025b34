package io.asyncflow.console.page.type;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.console.page.Act;
import java.util.List;

/** What the templates of types show. */
public final class TypeViews {

  private TypeViews() {}

  public record Listed(List<TaskTypeSettings> types, boolean mayCreate) {}

  /**
   * @param tab {@code settings} or {@code tables}
   * @param tables empty unless the tab shows them
   */
  public record Shown(
      TaskTypeSettings type,
      String tab,
      List<Setting> settings,
      List<Table> tables,
      List<Act> acts,
      boolean mayChange) {}

  public record Review(TaskTypeSettings type, List<Setting.Change> changes) {}

  /** A table, as {@code cfg/tables} answers it. */
  public record Table(
      String table,
      int number,
      String state,
      Long rows,
      Long bytes,
      long createTime,
      Long drainTime,
      boolean paused) {}
}
