package io.asyncflow.flowsvr.compose.job;

import io.asyncflow.flowsvr.compose.job.progress.ProgressFeed;
import io.asyncflow.flowsvr.compose.job.progress.ProgressStream;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.edge.web.stream.StreamOpener;
import io.asyncflow.rules.JobRow;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Streams the progress of a job as server-sent events. */
@RestController
@RequestMapping("/api/job")
class ProgressController {

  private final JobQueries queries;
  private final ProgressFeed watch;
  private final StreamOpener streams;

  ProgressController(JobQueries queries, ProgressFeed watch, StreamOpener streams) {
    this.queries = queries;
    this.watch = watch;
    this.streams = streams;
  }

  /**
   * Browsers reconnect whenever a stream ends. A browser that has received the final event is
   * answered with 204, which stops it.
   */
  @Takes(summary = "Streams the progress of a job", shape = JobController.OfJob.class)
  @Needs(Verb.JOB_READ)
  @GetMapping("/progress")
  void progress(Fields in, Caller caller, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    JobRow job = queries.get(JobController.jobId(in), caller);
    boolean hasSeenIt = ("" + job.version()).equals(request.getHeader(StreamOpener.LAST_EVENT_ID));
    if (job.state().isFinal() && hasSeenIt) {
      response.setStatus(HttpServletResponse.SC_NO_CONTENT);
      return;
    }
    listen(job.id(), request, response);
  }

  void listen(long jobId, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    streams.open(
        request,
        response,
        ProgressStream::new,
        stream -> watch.add(jobId, stream),
        stream -> watch.remove(jobId, stream));
  }
}
