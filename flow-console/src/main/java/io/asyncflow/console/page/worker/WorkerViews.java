package io.asyncflow.console.page.worker;

import io.asyncflow.api.find.RunningPage;
import io.asyncflow.console.page.Act;
import java.util.List;
import java.util.Map;

/** What the templates of workers show. */
public final class WorkerViews {

  private WorkerViews() {}

  /**
   * @param counts of all workers, by state
   * @param state the one that is asked for; empty for all
   * @param stage a part of the name of a stage; empty for all
   * @param next the address of the page after this one; {@code null} on the last one
   */
  public record Listed(
      List<Worker> workers, Map<String, Integer> counts, String state, String stage, String next) {}

  /**
   * @param running what it executes; {@code null} if that cannot be told now, or not to this
   *     operator
   */
  public record Shown(Worker worker, List<Act> acts, RunningPage running) {}
}
