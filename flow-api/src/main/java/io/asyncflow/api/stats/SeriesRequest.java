package io.asyncflow.api.stats;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Which numbers over time.
 *
 * @param taskType the types whose numbers are added, 1 to 20
 * @param taskStage {@code null} for all stages together
 * @param from epoch ms; {@code null} for an hour before {@code to}
 * @param to epoch ms; {@code null} for now
 * @param points the most steps, 10 to 500; {@code null} for 60
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SeriesRequest(
    List<String> taskType, String taskStage, Long from, Long to, Integer points) {

  /** The last hour of a type. */
  public static SeriesRequest lastHourOf(String taskType) {
    return new SeriesRequest(List.of(taskType), null, null, null, null);
  }
}
