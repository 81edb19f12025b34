package io.asyncflow.flowsvr.job;

import io.asyncflow.flowsvr.web.CallerShare;
import io.asyncflow.flowsvr.web.Fields;
import io.asyncflow.flowsvr.web.Takes;
import io.asyncflow.flowsvr.web.WaitingRequests;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Streams how far a job is, as server-sent events. */
@RestController
@RequestMapping("/api/job")
class ProgressController {

  private static final String LAST_EVENT_ID = "Last-Event-ID";

  private final JobQueries queries;
  private final JobWatch watch;
  private final CallerShare streams;

  ProgressController(
      JobQueries queries,
      JobWatch watch,
      WaitingRequests waiting,
      @Value("${flow.max-streams-per-address:200}") int streamsPerAddress) {
    this.queries = queries;
    this.watch = watch;
    this.streams = new CallerShare(waiting, streamsPerAddress, "streams of one address");
  }

  /**
   * Browsers come back when a stream ends, whyever it did. One that has seen the end is told so by
   * 204, which makes it stay away.
   */
  @Takes(summary = "Streams the progress of a job", shape = JobController.OfJob.class)
  @GetMapping("/progress")
  void progress(Fields in, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    JobRow job = queries.get(JobController.jobId(in));
    boolean hasSeenIt = ("" + job.version()).equals(request.getHeader(LAST_EVENT_ID));
    if (job.state().isFinal() && hasSeenIt) {
      response.setStatus(HttpServletResponse.SC_NO_CONTENT);
      return;
    }
    String address = request.getRemoteAddr(); // which the request has forgotten when it is over
    streams.enter(address);
    response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE + ";charset=UTF-8");
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    response.setHeader("X-Accel-Buffering", "no"); // else nginx keeps events back
    AsyncContext async = request.startAsync();
    async.setTimeout(0);
    AtomicReference<ProgressStream> self = new AtomicReference<>();
    ProgressStream stream =
        new ProgressStream(
            async,
            response.getOutputStream(),
            () -> {
              streams.leave(address);
              watch.remove(job.id(), self.get());
            });
    self.set(stream);
    response.getOutputStream().setWriteListener(stream);
    watch.add(job.id(), stream);
  }
}
