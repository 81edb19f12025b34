package io.asyncflow.api.find;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * Executing tasks, those that have run for the longest first.
 *
 * @param isWhole whether they were chosen from all of them
 */
public record RunningPage(
    List<RunningTask> runningList, @JsonProperty("isWhole") boolean isWhole) {}
