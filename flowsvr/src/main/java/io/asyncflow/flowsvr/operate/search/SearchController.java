package io.asyncflow.flowsvr.operate.search;

import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.JobMap;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.JobFields;
import io.asyncflow.rules.field.TaskLimits;
import java.util.List;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api")
class SearchController {

  private static final int MAX_RUNNING = 1_000;
  private static final int DEFAULT_RUNNING = 100;
  private static final int MAX_CHILDREN = 100_000_000;
  private static final int MOST_CHILDREN = 5_000;

  private final TaskSearch search;
  private final RunningTasks running;
  private final JobMaps maps;
  private final ReadDatabase reads;

  SearchController(TaskSearch search, RunningTasks running, JobMaps maps, ReadDatabase reads) {
    this.search = search;
    this.running = running;
    this.maps = maps;
    this.reads = reads;
  }

  record Search(
      String q,
      List<String> taskType,
      String status,
      List<String> stages,
      List<String> userId,
      List<String> workerId,
      List<String> taskId,
      String jobId,
      String text,
      Long createdFrom,
      Long createdTo,
      Long dueFrom,
      Long dueTo,
      Integer retriesMin,
      String order,
      Integer limit,
      String cursor) {}

  record Running(String taskType, String workerId, Integer limit) {}

  @Takes(summary = "Finds tasks, page by page", shape = Search.class, list = true)
  @Needs(Verb.TASK_READ)
  @GetOrPost("/task/search")
  Envelope<FoundTasks> search(Fields in, Caller caller) {
    return Envelope.ok(
        reads.instead(() -> search.search(SearchForm.read(in, reads.now(), caller), caller)));
  }

  @Takes(
      summary = "Lists executing tasks, those that run for the longest first",
      shape = Running.class,
      list = true)
  @Needs(Verb.TASK_READ)
  @GetOrPost("/task/running")
  Envelope<RunningPage> running(Fields in, Caller caller) {
    TaskType type = in.text("taskType").as(TaskType::parse, "is not a valid task type");
    String workerId = in.text("workerId").name().max(TaskLimits.WORKER_ID).value();
    int limit = in.number("limit").between(1, MAX_RUNNING).or(DEFAULT_RUNNING);
    in.refuseIfBad();
    if (type != null) {
      caller.requireType(type.name());
    }
    if (workerId != null) {
      caller.requireSeenWorker(workerId);
    }
    return Envelope.ok(reads.instead(() -> running.list(type, workerId, limit, caller)));
  }

  record GetJobMap(String jobId, Integer from, Integer count) {}

  @Takes(
      summary = "A stretch of the children of a job, one letter each",
      shape = GetJobMap.class,
      list = true)
  @Needs(Verb.JOB_READ)
  @GetOrPost({"/job/getJobMap", "/job/get_job_map"})
  Envelope<JobMap> getJobMap(Fields in, Caller caller) {
    Long jobId = JobFields.jobId(in);
    int from = in.number("from").between(0, MAX_CHILDREN).or(0);
    int count = in.number("count").between(1, MOST_CHILDREN).or(MOST_CHILDREN);
    in.refuseIfBad();
    return Envelope.ok(reads.instead(() -> maps.of(jobId, from, count, caller)));
  }
}
