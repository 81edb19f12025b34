package io.asyncflow.flowsvr.job.core;

import io.asyncflow.api.NewJob;
import io.asyncflow.flowsvr.create.CreateCall;
import io.asyncflow.flowsvr.create.IdempotencyConflictException;
import io.asyncflow.flowsvr.create.TaskCreator;
import io.asyncflow.flowsvr.job.core.JobStore.KeyUse;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;
import tools.jackson.databind.json.JsonMapper;

/**
 * Creates jobs. A job, its input and the task that splits it commit together, so there is never one
 * without the other, and a key makes one of them.
 */
@Service
public class JobCreator {

  public static final String SPLIT_STAGE = "split";
  public static final String MERGE_STAGE = "merge";

  /** Well below any engine's max_allowed_packet. */
  private static final int PART_BYTES = 1024 * 1024;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final TaskTypes types;
  private final TaskCreator tasks;
  private final JobStore jobs;

  JobCreator(TaskTypes types, TaskCreator tasks, JobStore jobs) {
    this.types = types;
    this.tasks = tasks;
    this.jobs = jobs;
  }

  /**
   * Creates a job, unless its key has done so before, and returns its id.
   *
   * @param job checked, with types in lower case and a policy
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if a type is not configured
   * @throws IdempotencyConflictException if its key was used with another body
   */
  public long create(NewJob job) {
    TaskType type = TaskType.parse(job.jobType()).orElseThrow();
    types.require(type);
    types.require(TaskType.parse(job.childType()).orElseThrow());
    byte[] hash = hash(job);
    Optional<Long> before = createdBefore(type, job, hash);
    if (before.isPresent()) {
      return before.get();
    }
    long id = tasks.nextNumber();
    byte[] input = job.jobInput().getBytes(StandardCharsets.UTF_8);
    try {
      tasks.create(
          splitOf(id, job.userId(), type, job.priority())
              .and(split -> insert(id, job, hash, input, split.get(0))));
      return id;
    } catch (DuplicateKeyException e) {
      // Another call with the key came first, and has committed.
      return createdBefore(type, job, hash).orElseThrow(() -> e);
    }
  }

  /** Creates the task that splits a job. */
  public static CreateCall splitOf(long jobId, String userId, TaskType type, int priority) {
    return CreateCall.ofJobs(
        List.of(TaskDraft.of(type, SPLIT_STAGE, userId, "", priority)),
        List.of(JobPlace.splitOf(jobId)));
  }

  private void insert(long id, NewJob job, byte[] hash, byte[] input, TaskId split) {
    jobs.insert(id, job, hash, input.length, split);
    for (int part = 0; part * PART_BYTES < input.length; part++) {
      int from = part * PART_BYTES;
      int to = Math.min(from + PART_BYTES, input.length);
      jobs.insertInput(id, part, Arrays.copyOfRange(input, from, to));
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

  /** Two bodies are the same when they ask for the same job; spelling and spaces do not count. */
  private static byte[] hash(NewJob job) {
    List<Object> asked =
        Arrays.asList(
            job.userId(),
            job.jobType(),
            job.jobInput(),
            job.priority(),
            job.failurePolicy(),
            job.childType());
    try {
      return MessageDigest.getInstance("SHA-256").digest(JSON.writeValueAsBytes(asked));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
