package io.asyncflow.flowsvr.compose.job;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.BareAnswer;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.compose.job.core.JobCreator;
import io.asyncflow.flowsvr.compose.job.progress.JobPace;
import io.asyncflow.flowsvr.compose.job.steps.JobStaging;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Scoped;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.filter.TraceId;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.StatusBits;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.row.NamedObjects;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.flowsvr.task.type.SealedTexts;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.field.JobChildFields;
import io.asyncflow.rules.field.JobFields;
import io.asyncflow.rules.field.PageFields;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/job")
class JobController {

  private final JobCreator creator;
  private final JobStaging staging;
  private final JobQueries queries;
  private final JobActs acts;
  private final SealedTexts sealedTexts;
  private final NamedObjects objects;

  JobController(
      JobCreator creator,
      JobStaging staging,
      JobQueries queries,
      JobActs acts,
      SealedTexts sealedTexts,
      NamedObjects objects) {
    this.creator = creator;
    this.staging = staging;
    this.queries = queries;
    this.acts = acts;
    this.sealedTexts = sealedTexts;
    this.objects = objects;
  }

  record CreateJob(NewJob jobData) {}

  record OfJob(String jobId) {}

  record ActOnJob(String jobId, String operator, String reason) {}

  record GetJobList(String userId, String jobType, String state, Integer limit, String cursor) {}

  record GetJobTasks(String jobId, Integer status, Integer limit, String cursor) {}

  record Created(String jobId) {}

  /** Rate and estimate are those of {@link JobPace}. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record FoundJob(Job jobData, Double rate, Long estimatedEnd) {}

  record Staged(int staged) {}

  @Takes(summary = "Creates a job", shape = CreateJob.class)
  @Needs(Verb.JOB_CREATE)
  @PostMapping({"/createJob", "/create_job"})
  Envelope<Created> createJob(Fields in, Caller caller, HttpServletRequest request) {
    NewJob job = JobFields.read(in.object("jobData"));
    in.refuseIfBad();
    caller.require(Scoped.of(job.userId(), job.jobType(), job.childType()));
    objects.require(job, caller);
    sealedTexts.check(job, "jobData");
    return Envelope.ok(new Created("" + creator.create(job, TraceId.parentOf(request))));
  }

  @Takes(summary = "Stages 1 to 1,000 children of a job that is split", shape = JobChildren.class)
  @Needs(Verb.WORK_REPORT)
  @PostMapping({"/addChildren", "/add_children"})
  Envelope<Staged> addChildren(Fields in, Caller caller) {
    JobChildren page = JobChildFields.read(in);
    in.refuseIfBad();
    TaskId split = splitOf(page, caller);
    objects.require(NamedObjects.contextsOf(page.children()), split, caller);
    return Envelope.ok(new Staged(staging.add(page, caller)));
  }

  /** The task that splits, if the caller may; its stage is judged with its row. */
  private static TaskId splitOf(JobChildren page, Caller caller) {
    TaskId split = TaskId.parse(page.taskId()).orElseThrow();
    if (!caller.seesType(split.type().name())) {
      throw new TaskNotFoundException(split);
    }
    caller.requireWorker(page.workerId());
    return split;
  }

  @Takes(summary = "Reads a job", shape = OfJob.class)
  @Needs(Verb.JOB_READ)
  @GetOrPost({"/getJob", "/get_job"})
  Envelope<FoundJob> getJob(Fields in, Caller caller) {
    JobRow job = queries.get(jobId(in), caller);
    JobPace pace = JobPace.of(job);
    Job shown = caller.shown(job.toJob(), whole -> whole.withResult(null));
    return Envelope.ok(new FoundJob(shown, pace.rate(), pace.estimatedEnd()));
  }

  @Takes(summary = "Lists jobs, newest first", shape = GetJobList.class, list = true)
  @Needs(Verb.JOB_READ)
  @GetOrPost({"/getJobList", "/get_job_list"})
  Envelope<JobPage> getJobList(Fields in, Caller caller) {
    JobFields.Listed listed = JobFields.listed(in);
    in.refuseIfBad();
    if (listed.type() != null) {
      caller.requireType(listed.type().name());
    }
    if (listed.userId() != null) {
      caller.requireUser(listed.userId());
    }
    JobPage page = queries.list(listed, caller.scope());
    List<Job> jobs = caller.allShown(page.jobList(), job -> job.withResult(null));
    return Envelope.ok(new JobPage(jobs, page.nextCursor()));
  }

  @Takes(
      summary = "Lists the children of a job, in their order",
      shape = GetJobTasks.class,
      list = true)
  @Needs(Verb.JOB_READ)
  @GetOrPost({"/getJobTasks", "/get_job_tasks"})
  Envelope<JobTaskPage> getJobTasks(Fields in, Caller caller) {
    Set<TaskStatus> statuses = StatusBits.read(in, "status");
    int limit = PageFields.limit(in);
    int from = PageFields.from(in);
    long jobId = reached(in, caller);
    JobTaskPage page = queries.children(jobId, statuses, from, limit);
    List<JobTask> children = caller.allShown(page.taskList(), child -> child.withResult(null));
    return Envelope.ok(new JobTaskPage(children, page.nextCursor()));
  }

  /** Without an envelope: the input may be as large as the largest request. */
  @Takes(summary = "Streams the input of a job", shape = OfJob.class)
  @Needs(Verb.CONTEXT_READ)
  @GetOrPost({"/getJobInput", "/get_job_input"})
  void getJobInput(Fields in, Caller caller, HttpServletResponse response) throws IOException {
    JobRow job = queries.getWithInput(reached(in, caller));
    response.setContentType(MediaType.TEXT_PLAIN_VALUE + ";charset=UTF-8");
    response.setContentLength(job.inputBytes());
    response.setHeader(BareAnswer.BYTES, String.valueOf(job.inputBytes()));
    queries.writeInput(job.id(), response.getOutputStream());
  }

  @Takes(summary = "Cancels what is left of a job", shape = ActOnJob.class)
  @Needs(Verb.JOB_CANCEL)
  @PostMapping("/cancel")
  Envelope<Void> cancel(Fields in, Caller caller) {
    Reason why = Reason.read(in);
    acts.cancel(reached(in, caller), why);
    return Envelope.ok(null);
  }

  @Takes(summary = "Pauses a job", shape = ActOnJob.class)
  @Needs(Verb.PAUSE)
  @PostMapping("/pause")
  Envelope<Void> pause(Fields in, Caller caller) {
    in.refuseMisplaced("until", "a job is paused until it is resumed");
    Reason why = Reason.read(in);
    acts.pause(reached(in, caller), why);
    return Envelope.done();
  }

  @Takes(summary = "Lets a paused job go on", shape = ActOnJob.class)
  @Needs(Verb.PAUSE)
  @PostMapping("/resume")
  Envelope<Void> resume(Fields in, Caller caller) {
    Reason why = Reason.read(in);
    acts.resume(reached(in, caller), why);
    return Envelope.done();
  }

  @Takes(summary = "Runs again what failed or was cancelled of a job", shape = ActOnJob.class)
  @Needs(Verb.JOB_STEER)
  @PostMapping("/retry")
  Envelope<Void> retry(Fields in, Caller caller) {
    Reason why = Reason.read(in);
    acts.retry(reached(in, caller), why);
    return Envelope.ok(null);
  }

  /** The id of the job that the request names, which the caller reaches. */
  private long reached(Fields in, Caller caller) {
    long jobId = jobId(in);
    if (caller.isScoped()) {
      queries.get(jobId, caller);
    }
    return jobId;
  }

  /** Reads the job id; refuses the request if any field is invalid. */
  static long jobId(Fields in) {
    Long id = JobFields.jobId(in);
    in.refuseIfBad();
    return id;
  }
}
