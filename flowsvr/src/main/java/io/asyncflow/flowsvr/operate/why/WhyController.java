package io.asyncflow.flowsvr.operate.why;

import io.asyncflow.api.find.TaskHistory;
import io.asyncflow.api.find.Why;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.field.JobFields;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task")
class WhyController {

  private static final int MAX_CHILDREN = 100_000_000;

  private final TaskWhy why;
  private final TaskHistories histories;
  private final ReadDatabase reads;

  WhyController(TaskWhy why, TaskHistories histories, ReadDatabase reads) {
    this.why = why;
    this.histories = histories;
    this.reads = reads;
  }

  record AskWhy(String taskId, String jobId, Integer index) {}

  record OfTask(String taskId) {}

  record Because(Why why) {}

  @Takes(summary = "Says why a task, or a child of a job, does not run", shape = AskWhy.class)
  @Needs(Verb.TASK_READ)
  @GetOrPost("/why")
  Envelope<Because> why(Fields in, Caller caller) {
    if (!in.has("jobId")) {
      TaskId id = taskId(in);
      in.refuseMisplaced("index", "it belongs to a jobId");
      in.refuseIfBad();
      return Envelope.ok(new Because(reads.instead(() -> why.of(id, caller))));
    }
    if (in.has("taskId")) {
      in.refuse("taskId", "must not be given together with jobId");
    }
    Long jobId = JobFields.jobId(in);
    Integer index = in.number("index").required().between(0, MAX_CHILDREN).asInteger();
    in.refuseIfBad();
    return Envelope.ok(new Because(reads.instead(() -> why.ofChild(jobId, index, caller))));
  }

  @Takes(summary = "What happened to a task, as far as it is known", shape = OfTask.class)
  @Needs(Verb.TASK_READ)
  @GetOrPost("/history")
  Envelope<TaskHistory> history(Fields in, Caller caller) {
    TaskId id = taskId(in);
    in.refuseIfBad();
    return Envelope.ok(reads.instead(() -> histories.of(id, caller)));
  }

  private static TaskId taskId(Fields in) {
    return in.text("taskId").required().as(TaskId::parse, "is not a task id");
  }
}
