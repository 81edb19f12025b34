package io.asyncflow.console.page.type;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.console.page.Act;
import java.util.List;

/** What the templates of types show. */
public final class TypeViews {

  private TypeViews() {}

  public record Listed(List<TaskTypeSettings> types, boolean mayCreate) {}

  /**
   * @param tab the part that is shown
   * @param tabs those that there are
   * @param content of the part that is shown
   */
  public record Shown(
      TaskTypeSettings type, String tab, List<String> tabs, List<Act> acts, TypeTab content) {}

  public record Review(TaskTypeSettings type, List<Setting.Change> changes) {}
}
