package io.asyncflow.flowsvr.job;

import io.asyncflow.flowsvr.job.core.JobRow;
import io.asyncflow.flowsvr.job.progress.ProgressFeed;
import io.asyncflow.flowsvr.job.progress.ProgressStream;
import io.asyncflow.flowsvr.web.load.CallerShare;
import io.asyncflow.flowsvr.web.load.WaitingRequests;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
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

/** Streams the progress of a job as server-sent events. */
@RestController
@RequestMapping("/api/job")
class ProgressController {

  private static final String LAST_EVENT_ID = "Last-Event-ID";

  private final JobQueries queries;
  private final ProgressFeed watch;
  private final CallerShare streams;

  ProgressController(
      JobQueries queries,
      ProgressFeed watch,
      WaitingRequests waiting,
      @Value("${flow.max-streams-per-address:200}") int streamsPerAddress) {
    this.queries = queries;
    this.watch = watch;
    this.streams = new CallerShare(waiting, streamsPerAddress, "streams of one address");
  }

  /**
   * Browsers reconnect whenever a stream ends. A browser that has received the final event is
   * answered with 204, which stops it.
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
    listen(job.id(), request, response);
  }

  void listen(long jobId, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String address = request.getRemoteAddr(); // the request returns no address once it is complete
    streams.enter(address);
    AtomicReference<ProgressStream> self = new AtomicReference<>();
    boolean isListening = false;
    try {
      response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE + ";charset=UTF-8");
      response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
      response.setHeader("X-Accel-Buffering", "no"); // otherwise nginx buffers events
      ServletOutputStream out = response.getOutputStream();
      AsyncContext async = request.startAsync();
      async.setTimeout(0);
      self.set(
          new ProgressStream(
              async,
              out,
              () -> {
                streams.leave(address);
                watch.remove(jobId, self.get());
              }));
      out.setWriteListener(self.get());
      watch.add(jobId, self.get());
      isListening = true;
    } finally {
      if (!isListening) {
        leave(address, self.get());
      }
    }
  }

  /**
   * @param stream returns its own permit, once; {@code null} if it was not created
   */
  private void leave(String address, ProgressStream stream) {
    if (stream == null) {
      streams.leave(address);
    } else {
      stream.close();
    }
  }
}
