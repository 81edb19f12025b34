package io.asyncflow.console.page;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.Transport;
import io.asyncflow.console.frame.Form;
import io.asyncflow.console.frame.Visit;
import java.util.List;
import java.util.Optional;

/**
 * The names of the types that there are, which fields suggest.
 *
 * @param all of them, or the first ones of very many
 */
public record TypeNames(List<String> all) {

  public static final TypeNames NONE = new TypeNames(List.of());

  /** Lists the types. */
  public static final Call<List<TaskTypeSettings>> TYPES =
      Call.to("/api/task_schedule_cfg/list", Answer.of(Listed.class, Listed::scheduleCfgList));

  private record Listed(List<TaskTypeSettings> scheduleCfgList) {}

  private static final int MOST = 200;
  private static final int MAX_AGE_MS = 60_000;

  /**
   * A page without suggestions is better than none, and news of an open page bring none. Types are
   * those that the server knew a minute ago, for which it reads nothing.
   */
  public static TypeNames read(Transport api, Form form) {
    return form.isLive() ? NONE : Visit.orElse(() -> read(api), NONE);
  }

  private static TypeNames read(Transport api) {
    return new TypeNames(
        api.send(TYPES.with("maxAgeMs", MAX_AGE_MS)).stream()
            .map(TaskTypeSettings::taskType)
            .sorted(String.CASE_INSENSITIVE_ORDER)
            .limit(MOST)
            .toList());
  }

  public static TypeNames read(Visit visit) {
    return read(visit.api(), visit.form());
  }

  /** The settings of a type; empty if there is none. */
  public static Optional<TaskTypeSettings> find(Visit visit, String type) {
    return visit.send(TYPES).stream()
        .filter(settings -> settings.taskType().equalsIgnoreCase(type))
        .findFirst();
  }
}
