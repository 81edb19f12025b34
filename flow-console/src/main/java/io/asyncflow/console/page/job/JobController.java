package io.asyncflow.console.page.job;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.find.JobMap;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.Form;
import io.asyncflow.console.page.TypeNames;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The list of jobs, and the page of each. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/jobs")
public class JobController {

  private static final int PAGE = 100;
  private static final int STRETCH = 5_000;
  private static final int MOST_MAPPED = 100_000;

  /** Estimates drift; in coarse steps, a page with no other news stays the same. */
  private static final long ESTIMATE = 10_000;

  private final Pages pages;
  private final Calls calls;

  public JobController(Pages pages, Calls calls) {
    this.pages = pages;
    this.calls = calls;
  }

  @GetMapping
  public ResponseEntity<byte[]> list(
      Frame frame, @RequestParam Map<String, String> fields, HttpServletRequest request) {
    Form form = new Form(fields);
    String state = form.text("state");
    String type = form.text("type");
    String user = form.text("user");
    JobPage page =
        calls.get(
            JobPage.class,
            "/api/job/getJobList",
            "state",
            state,
            "jobType",
            type,
            "userId",
            user,
            "cursor",
            form.text("cursor"),
            "limit",
            PAGE);
    String older =
        page.nextCursor() == null
            ? null
            : frame.to(
                "/jobs", "state", state, "type", type, "user", user, "cursor", page.nextCursor());
    return pages.show(
        frame,
        "jobs",
        new JobViews.Listed(
            page.jobList(), state, type, user, older, TypeNames.read(calls, request)));
  }

  private record Answer(Job jobData, Double rate, Long estimatedEnd) {}

  @GetMapping("/{id}")
  public ResponseEntity<byte[]> show(
      Frame frame, @PathVariable String id, @RequestParam Map<String, String> fields) {
    Form form = new Form(fields);
    Answer answer = calls.get(Answer.class, "/api/job/getJob", "jobId", id);
    Job job = answer.jobData();
    String status = form.text("status");
    JobTaskPage children =
        calls.get(
            JobTaskPage.class,
            "/api/job/getJobTasks",
            "jobId",
            id,
            "status",
            status,
            "cursor",
            form.text("cursor"),
            "limit",
            PAGE);
    String next =
        children.nextCursor() == null
            ? null
            : frame.to(path(id), "status", status, "cursor", children.nextCursor());
    return pages.show(
        frame,
        "job",
        new JobViews.Shown(
            job,
            JobBar.of(job),
            answer.rate(),
            answer.estimatedEnd() == null ? null : answer.estimatedEnd() / ESTIMATE * ESTIMATE,
            acts(frame, job),
            children.taskList(),
            status,
            next,
            JsonTree.of(job.result()),
            mapOf(job)));
  }

  /** {@code null} without children, with more than are drawn each time, or if nobody can tell. */
  private JobMapView mapOf(Job job) {
    if (job.total() == null || job.total() == 0 || job.total() > JobMapView.MOST_CELLS) {
      return null;
    }
    try {
      return JobMapView.of(List.of(stretch(job.jobId(), 0)));
    } catch (FlowException refused) {
      if (refused.retryable()) {
        return null; // too many look at the moment; the next look may have it
      }
      throw refused;
    }
  }

  private JobMap stretch(String id, int from) {
    return calls.get(
        JobMap.class, "/api/job/getJobMap", "jobId", id, "from", from, "count", STRETCH);
  }

  /**
   * The map of a large job: as many calls as it has stretches, so it is drawn when it is opened.
   */
  @GetMapping("/{id}/map")
  public ResponseEntity<byte[]> map(Frame frame, @PathVariable String id) {
    Job job = calls.get(Job.class, "jobData", "/api/job/getJob", Map.of("jobId", id));
    List<JobMap> stretches = new ArrayList<>();
    int total = Math.min(job.total() == null ? 0 : job.total(), MOST_MAPPED);
    for (int from = 0; from < total; from += STRETCH) {
      stretches.add(stretch(id, from));
    }
    return pages.show(frame, "job-map", new JobViews.Mapped(job, JobMapView.of(stretches)));
  }

  private static List<Act> acts(Frame frame, Job job) {
    boolean hasEnded = job.state().isFinal();
    boolean isPaused = Boolean.TRUE.equals(job.paused());
    return List.of(
        act(frame, "JOB_CANCEL", "cancel", job)
            .unless(hasEnded, "why_not.ended")
            .unless(job.state() == JobState.STOPPING, "why_not.stopping")
            .grave(),
        act(frame, "JOB_STEER", "retry", job)
            .unless(!hasEnded, "why_not.not_ended")
            .unless(job.state() == JobState.SUCCESS, "why_not.succeeded"),
        act(frame, "PAUSE", "pause", job)
            .unless(hasEnded, "why_not.ended")
            .unless(isPaused, "why_not.paused"),
        act(frame, "PAUSE", "resume", job).unless(!isPaused, "why_not.not_paused"));
  }

  private static Act act(Frame frame, String verb, String act, Job job) {
    return Act.of(frame, verb, "job_" + act, frame.to(path(job.jobId()) + "/" + act));
  }

  private static String path(String id) {
    return "/jobs/" + id;
  }

  @PostMapping("/{id}/{act}")
  public ResponseEntity<byte[]> act(
      Frame frame,
      @PathVariable String id,
      @PathVariable String act,
      @RequestParam Map<String, String> fields) {
    switch (act) {
      case "cancel", "retry", "pause", "resume" ->
          calls.call("/api/job/" + act, "jobId", id, "reason", new Form(fields).text("reason"));
      default -> throw Form.noPage();
    }
    return Pages.done(frame, "job_" + act, frame.to(path(id)));
  }
}
