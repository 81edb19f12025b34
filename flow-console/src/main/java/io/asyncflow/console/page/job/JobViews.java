package io.asyncflow.console.page.job;

import io.asyncflow.api.Job;
import io.asyncflow.api.JobTask;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.TypeNames;
import java.util.List;

/** What the templates of jobs show. */
public final class JobViews {

  private JobViews() {}

  /**
   * @param state that is asked for; empty for all, as with the others
   * @param older the address of the next page; {@code null} on the last
   * @param types that the field suggests
   */
  public record Listed(
      List<Job> jobs, String state, String type, String user, String older, TypeNames types) {}

  /**
   * @param rate children a second; {@code null} until one has ended
   * @param estimatedEnd of the children; {@code null} while there is no estimate
   * @param status of the children that are asked for; empty for all
   * @param next the address of the next page of children; {@code null} on the last
   * @param map {@code null} if it is not drawn here
   */
  public record Shown(
      Job job,
      JobBar bar,
      Double rate,
      Long estimatedEnd,
      List<Act> acts,
      List<JobTask> children,
      String status,
      String next,
      JsonTree result,
      JobMapView map) {}

  /** A job with all of its children. */
  public record Mapped(Job job, JobMapView map) {}
}
