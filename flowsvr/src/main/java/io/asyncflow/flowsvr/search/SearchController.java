package io.asyncflow.flowsvr.search;

import static org.springframework.web.bind.annotation.RequestMethod.GET;
import static org.springframework.web.bind.annotation.RequestMethod.POST;

import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.TaskLimits;
import java.util.List;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task")
class SearchController {

  private static final int MAX_RUNNING = 1_000;
  private static final int DEFAULT_RUNNING = 100;

  private final TaskSearch search;
  private final SearchStore store;
  private final RunningTasks running;
  private final ReadDatabase reads;

  SearchController(TaskSearch search, SearchStore store, RunningTasks running, ReadDatabase reads) {
    this.search = search;
    this.store = store;
    this.running = running;
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
  @RequestMapping(
      path = "/search",
      method = {GET, POST})
  Envelope<FoundTasks> search(Fields in, Caller caller) {
    return Envelope.ok(
        reads.inTurn(() -> search.search(SearchForm.read(in, store.now(), caller), caller)));
  }

  @Takes(
      summary = "Lists executing tasks, those that run for the longest first",
      shape = Running.class,
      list = true)
  @Needs(Verb.TASK_READ)
  @RequestMapping(
      path = "/running",
      method = {GET, POST})
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
    return Envelope.ok(reads.inTurn(() -> running.list(type, workerId, limit, caller)));
  }
}
