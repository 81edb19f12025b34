package io.asyncflow.flowsvr.search;

import static org.springframework.web.bind.annotation.RequestMethod.GET;
import static org.springframework.web.bind.annotation.RequestMethod.POST;

import io.asyncflow.api.find.JobMap;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import java.util.Optional;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/job")
class JobMapController {

  private static final int MAX_CHILDREN = 100_000_000;
  private static final int MOST = 5_000;

  private final JobMaps maps;
  private final ReadDatabase reads;

  JobMapController(JobMaps maps, ReadDatabase reads) {
    this.maps = maps;
    this.reads = reads;
  }

  record GetJobMap(String jobId, Integer from, Integer count) {}

  @Takes(
      summary = "A stretch of the children of a job, one letter each",
      shape = GetJobMap.class,
      list = true)
  @Needs(Verb.JOB_READ)
  @RequestMapping(
      path = {"/getJobMap", "/get_job_map"},
      method = {GET, POST})
  Envelope<JobMap> getJobMap(Fields in, Caller caller) {
    Long jobId = in.text("jobId").required().as(JobMapController::number, "is no job id");
    int from = in.number("from").between(0, MAX_CHILDREN).or(0);
    int count = in.number("count").between(1, MOST).or(MOST);
    in.refuseIfBad();
    return Envelope.ok(reads.inTurn(() -> maps.of(jobId, from, count, caller)));
  }

  private static Optional<Long> number(String text) {
    return text.matches("[1-9][0-9]{0,17}") ? Optional.of(Long.parseLong(text)) : Optional.empty();
  }
}
