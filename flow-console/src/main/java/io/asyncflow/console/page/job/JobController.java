package io.asyncflow.console.page.job;

import io.asyncflow.api.Call;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.find.FindClient;
import io.asyncflow.api.find.JobMap;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.ActTable;
import io.asyncflow.console.page.Bar;
import io.asyncflow.console.page.Listing;
import io.asyncflow.console.page.TypeNames;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** The list of jobs, and the page of each. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/jobs")
public class JobController {

  private static final int STRETCH = 5_000;
  private static final int MOST_MAPPED = 100_000;

  /** Estimates drift; in coarse steps, a page with no other news stays the same. */
  private static final long ESTIMATE = 10_000;

  private static final Listing JOBS = new Listing("/jobs", "state", "type=jobType", "user=userId");
  private static final Call<JobPage> LIST = Call.to("/api/job/getJobList", JobPage.class);
  private static final Call<Found> GET = Call.to("/api/job/getJob", Found.class);
  private static final Call<JobTaskPage> CHILDREN =
      Call.to("/api/job/getJobTasks", JobTaskPage.class);

  private static final ActTable ACTS =
      new ActTable("job")
          .with("cancel", "JOB_CANCEL")
          .with("retry", "JOB_STEER")
          .with("pause", "PAUSE")
          .with("resume", "PAUSE");

  private record Found(Job jobData, Double rate, Long estimatedEnd) {}

  @GetMapping
  public ResponseEntity<byte[]> list(Visit visit) {
    JobPage page = visit.send(JOBS.page(visit, LIST));
    return visit.show(
        "jobs",
        new Listed(
            page.jobList(),
            visit.text("state"),
            visit.text("type"),
            visit.text("user"),
            JOBS.next(visit, page.nextCursor()),
            TypeNames.read(visit)));
  }

  @GetMapping("/{id}")
  public ResponseEntity<byte[]> show(Visit visit, @PathVariable String id) {
    Found found = visit.send(GET.with("jobId", id));
    Job job = found.jobData();
    Listing listing = new Listing(path(id), "status");
    JobTaskPage children = visit.send(listing.page(visit, CHILDREN.with("jobId", id)));
    return visit.show(
        "job",
        new Shown(
            job,
            Bar.of(job),
            found.rate(),
            found.estimatedEnd() == null ? null : found.estimatedEnd() / ESTIMATE * ESTIMATE,
            acts(visit, job),
            children.taskList(),
            visit.text("status"),
            listing.next(visit, children.nextCursor()),
            JsonTree.of(job.result()),
            mapOf(visit, job)));
  }

  /** {@code null} without children, with more than are drawn each time, or if nobody can tell. */
  private static JobMapView mapOf(Visit visit, Job job) {
    if (job.total() == null || job.total() == 0 || job.total() > JobMapView.MOST_CELLS) {
      return null;
    }
    try {
      return JobMapView.of(List.of(stretch(visit, job, 0)));
    } catch (FlowException refused) {
      if (refused.retryable()) {
        return null; // too many look at the moment; the next look may have it
      }
      throw refused;
    }
  }

  private static JobMap stretch(Visit visit, Job job, int from) {
    return new FindClient(visit.api()).jobMap(job.jobId(), from, STRETCH);
  }

  /**
   * The map of a large job: as many calls as it has stretches, so it is drawn when it is opened.
   */
  @GetMapping("/{id}/map")
  public ResponseEntity<byte[]> map(Visit visit, @PathVariable String id) {
    Job job = visit.send(GET.with("jobId", id)).jobData();
    List<JobMap> stretches = new ArrayList<>();
    int total = Math.min(job.total() == null ? 0 : job.total(), MOST_MAPPED);
    for (int from = 0; from < total; from += STRETCH) {
      stretches.add(stretch(visit, job, from));
    }
    return visit.show("job-map", new Mapped(job, JobMapView.of(stretches)));
  }

  private static List<Act> acts(Visit visit, Job job) {
    boolean hasEnded = job.state().isFinal();
    boolean isPaused = Boolean.TRUE.equals(job.paused());
    return List.of(
        act(visit, "cancel", job)
            .unless(hasEnded, "why_not.ended")
            .unless(job.state() == JobState.STOPPING, "why_not.stopping")
            .grave(),
        act(visit, "retry", job)
            .unless(!hasEnded, "why_not.not_ended")
            .unless(job.state() == JobState.SUCCESS, "why_not.succeeded"),
        act(visit, "pause", job)
            .unless(hasEnded, "why_not.ended")
            .unless(isPaused, "why_not.paused"),
        act(visit, "resume", job).unless(!isPaused, "why_not.not_paused"));
  }

  private static Act act(Visit visit, String act, Job job) {
    return ACTS.act(visit, act, path(job.jobId()) + "/" + act);
  }

  private static String path(String id) {
    return "/jobs/" + id;
  }

  @PostMapping("/{id}/{act}")
  public ResponseEntity<byte[]> perform(
      Visit visit, @PathVariable String id, @PathVariable String act) {
    return visit.done(ACTS.perform(visit, act, id), path(id));
  }

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
      Bar bar,
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
