package io.asyncflow.flowsvr.compose.job.core;

import io.asyncflow.api.JobChild;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Team;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.Sha256;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.job.core.JobStore.KeyUse;
import io.asyncflow.flowsvr.edge.web.read.InvalidFieldException;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.IdempotencyConflictException;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.JobLimits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;
import tools.jackson.databind.json.JsonMapper;

/**
 * Creates jobs. A job, its input and its split task commit together; or, without a split, the job
 * and its staged children. An idempotency key creates one job at most.
 */
@Service
public class JobCreator {

  public static final String SPLIT_STAGE = JobPlace.SPLIT_STAGE;
  public static final String MERGE_STAGE = JobPlace.MERGE_STAGE;

  /** Well below any database's max_allowed_packet. */
  private static final int PART_BYTES = 1024 * 1024;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final TaskTypes types;
  private final TaskCreator tasks;
  private final JobStore jobs;
  private final JobTaskStore jobTasks;
  private final TeamStore teams;
  private final RetryingTransactions transactions;
  private final JobChanger changer;
  private final Events events;
  private final JobMeters meters;

  JobCreator(
      TaskTypes types,
      TaskCreator tasks,
      JobStore jobs,
      JobTaskStore jobTasks,
      TeamStore teams,
      RetryingTransactions transactions,
      JobChanger changer,
      Events events,
      JobMeters meters) {
    this.types = types;
    this.tasks = tasks;
    this.jobs = jobs;
    this.jobTasks = jobTasks;
    this.teams = teams;
    this.transactions = transactions;
    this.changer = changer;
    this.events = events;
    this.meters = meters;
  }

  /**
   * Creates a job and returns its id; if its key created a job before, returns that job's id.
   *
   * @param job validated, with types in lower case and a failure policy
   * @param traceParent of the call, which all tasks of the job get; {@code null} for none
   * @throws io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException if a type is not configured
   * @throws IdempotencyConflictException if its key was used with another body
   * @throws InvalidFieldException if it is a team of all workers, and none serves the stage
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#LIMIT_EXCEEDED}
   *     if its user has created too many tasks and jobs of {@code jobType}
   */
  public long create(NewJob job, String traceParent) {
    return create(job, new Origin(null, true, traceParent), id -> {});
  }

  /**
   * Where a job comes from.
   *
   * @param fire {@code null} if no schedule creates it
   * @param isAsked whether a user asks for it, so that the limits of what a user may create apply
   * @param traceParent of the call that creates it; {@code null} for none
   */
  private record Origin(FireId fire, boolean isAsked, String traceParent) {}

  /**
   * The same by a fire, with further work in the transaction of the job. Such a job is in no trace:
   * nothing has called.
   *
   * @param isAsked whether a user asks for the fire, so that the limits of what a user may create
   *     apply
   * @param join takes the job's id, after all rows of the job were inserted. An exception rolls the
   *     transaction back and is thrown on. It runs again if the transaction is repeated, and not at
   *     all if the key created a job before
   */
  public long create(NewJob job, FireId fire, boolean isAsked, LongConsumer join) {
    return create(job, new Origin(fire, isAsked, null), join);
  }

  private long create(NewJob job, Origin origin, LongConsumer join) {
    TaskType type = TaskType.parse(job.jobType()).orElseThrow();
    types.require(type);
    types.require(TaskType.parse(job.childType()).orElseThrow());
    byte[] hash = hash(job);
    Optional<Long> existing = createdBefore(type, job, hash);
    if (existing.isPresent()) {
      return existing.get();
    }
    long id = tasks.nextNumber();
    try {
      if (job.hasSplit()) {
        createWithSplit(id, type, job, origin, hash, join);
      } else {
        createRunning(id, type, job, origin, hash, join);
      }
      meters.created(type.name());
      return id;
    } catch (DuplicateKeyException e) {
      // Another call with the same key committed first.
      return createdBefore(type, job, hash).orElseThrow(() -> e);
    }
  }

  private void createWithSplit(
      long id, TaskType type, NewJob job, Origin origin, byte[] hash, LongConsumer join) {
    CreateCall split = splitOf(id, job.userId(), type, job.priority(), origin.traceParent());
    tasks.create(
        (origin.isAsked() ? split.byUsers() : split)
            .and(
                ids -> {
                  insert(id, job, origin, hash, ids.get(0), null);
                  join.accept(id);
                }));
  }

  /** Creates a job whose children are known, and staged at once. */
  private void createRunning(
      long id, TaskType type, NewJob job, Origin origin, byte[] hash, LongConsumer join) {
    List<String> workers = isForAll(job) ? requireWorkers(job) : List.of();
    List<JobChild> children = childrenOf(job, workers.size());
    transactions.run(
        () -> {
          if (origin.isAsked()) {
            tasks.chargeUser(type, job.userId());
          }
          insert(id, job, origin, hash, null, children.size());
          jobTasks.stage(id, 0, children);
          teams.give(id, 0, workers);
          join.accept(id);
        });
    events.publish(new JobChanged(id));
  }

  private static boolean isForAll(NewJob job) {
    return job.team() != null && job.team().coversAll();
  }

  private List<String> requireWorkers(NewJob job) {
    Team team = job.team();
    TaskType type = TaskType.parse(job.childType()).orElseThrow();
    int most = JobLimits.CHILDREN_AT_ONCE;
    List<String> workers = teams.free(0, type, team.taskStage(), team.workerIds(), most + 1);
    String stage = type + "/" + team.taskStage();
    if (workers.isEmpty()) {
      throw new InvalidFieldException(
          "jobData.team.workers", "is 0, for all workers, and no worker serves " + stage + " now");
    }
    if (workers.size() > most) {
      throw new InvalidFieldException(
          "jobData.team.workers",
          "is 0, for all workers, and more than " + most + " workers serve " + stage);
    }
    return workers;
  }

  private static List<JobChild> childrenOf(NewJob job, int workers) {
    Team team = job.team();
    if (team == null) {
      return job.children();
    }
    int copies = team.coversAll() ? workers : team.workers();
    return Collections.nCopies(
        copies, new JobChild(team.taskStage(), team.taskContext(), job.priority()));
  }

  /** The call that creates the split task of a job. */
  public static CreateCall splitOf(
      long jobId, String userId, TaskType type, int priority, String traceParent) {
    return CreateCall.ofJobs(
        List.of(TaskDraft.of(type, SPLIT_STAGE, userId, "", priority).withTraceParent(traceParent)),
        List.of(JobPlace.splitOf(jobId)));
  }

  private void insert(
      long id, NewJob created, Origin origin, byte[] hash, TaskId split, Integer children) {
    byte[] input = created.jobInput().getBytes(StandardCharsets.UTF_8);
    JobRow job =
        JobRow.of(
            id, created, input.length, origin.fire(), origin.traceParent(), split, children, 0);
    jobs.insert(job, created.idempotencyKey(), hash);
    changer.tell(EventKind.JOB_STATE, job);
    for (int part = 0; part * PART_BYTES < input.length; part++) {
      int start = part * PART_BYTES;
      int end = Math.min(start + PART_BYTES, input.length);
      jobs.insertInput(id, part, Arrays.copyOfRange(input, start, end));
    }
  }

  private Optional<Long> createdBefore(TaskType type, NewJob job, byte[] hash) {
    if (job.idempotencyKey() == null) {
      return Optional.empty();
    }
    Optional<KeyUse> use = jobs.findKey(type, job.idempotencyKey());
    if (use.isPresent() && !Arrays.equals(use.get().bodyHash(), hash)) {
      throw new IdempotencyConflictException(job.idempotencyKey());
    }
    return use.map(KeyUse::jobId);
  }

  /** Hashes the parsed job, so that spelling and white space of the body do not matter. */
  private static byte[] hash(NewJob job) {
    List<Object> requested =
        new ArrayList<>(
            Arrays.asList(
                job.userId(),
                job.jobType(),
                job.jobInput(),
                job.priority(),
                job.failurePolicy(),
                job.childType()));
    Stream.of(
            job.window(),
            job.team(),
            job.children(),
            job.merges() == job.hasSplit() ? null : (Boolean) job.merges())
        .filter(Objects::nonNull)
        .forEach(requested::add);
    return Sha256.of(JSON.writeValueAsBytes(requested));
  }
}
