package io.asyncflow.api.find;

import java.util.List;

/**
 * What happened to a task.
 *
 * @param entries in the order of their times
 * @param gaps whether ends of holds are not known any more: the log has the last six
 */
public record TaskHistory(List<HistoryEntry> entries, boolean gaps) {}
