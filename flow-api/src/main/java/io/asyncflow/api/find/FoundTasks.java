package io.asyncflow.api.find;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.asyncflow.api.Task;
import java.util.List;

/**
 * A page of a search. A page without tasks that has a cursor is no end: the next one looks further.
 *
 * @param taskList without contexts and results
 * @param nextCursor the next page's cursor; {@code null} on the last page
 * @param looked at how many tasks the page has looked
 * @param lookedBackTo the time of the last of them, in epoch milliseconds: of its creation, or its
 *     due time where that is the order; {@code null} if it looked at none, or at named ones
 * @param isWhole whether this page and those before it have looked at all tasks that could fit
 * @param drivenBy the index or the table that the search went through
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FoundTasks(
    List<Task> taskList,
    String nextCursor,
    int looked,
    Long lookedBackTo,
    @JsonProperty("isWhole") boolean isWhole,
    String drivenBy) {}
