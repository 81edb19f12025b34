package io.asyncflow.flowsvr.compose.job.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.NewJob;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Jobs that are created by a fire, in the transaction of the fire. */
@RunningServer
@Tag("contract")
class JobCreatorIT {

  private static final FireId FIRE = new FireId(7, System.currentTimeMillis());

  @Autowired Given given;
  @Autowired JobCreator creator;
  @Autowired JobStore jobs;
  @Autowired JdbcClient jdbc;
  private TaskType book;

  @BeforeEach
  void aType() {
    book = given.aType().create();
  }

  private NewJob aJob(String key) {
    return NewJob.of(book.name(), "ann", "text")
        .withPriority(0)
        .withIdempotencyKey(key)
        .withFailurePolicy(FailurePolicy.FINISH)
        .withChildType(book.name());
  }

  @Test
  void jobHasItsFireAndItsTasksHaveNone() {
    long id = creator.create(aJob(null), FIRE, false, job -> {});
    JobRow job = jobs.find(id).orElseThrow();
    assertThat(job.fire()).isEqualTo(FIRE);
    assertThat(job.toJob().scheduleId()).isEqualTo("7");
    assertThat(job.toJob().fireTime()).isEqualTo(FIRE.fireTime());
    TaskRow split = given.row(job.splitTask());
    assertThat(split.fire()).isNull();
    assertThat(split.place().jobId()).isEqualTo(id);

    JobRow other = jobs.find(creator.create(aJob(null), null)).orElseThrow();
    assertThat(other.fire()).isNull();
    assertThat(other.toJob().scheduleId()).isNull();
  }

  @Test
  void furtherWorkIsInTheTransactionOfTheJob() {
    AtomicLong seen = new AtomicLong();
    long id =
        creator.create(
            aJob(null),
            FIRE,
            false,
            job -> {
              assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
              assertThat(jobs.find(job)).isPresent();
              assertThat(jobs.findInput(job, 0)).isPresent();
              seen.set(job);
            });
    assertThat(seen).hasValue(id);
  }

  @Test
  void furtherWorkThatFailsLeavesNothing() {
    AtomicLong seen = new AtomicLong();
    DuplicateKeyException lost = new DuplicateKeyException("another made this fire");
    assertThatThrownBy(
            () ->
                creator.create(
                    aJob(null),
                    FIRE,
                    false,
                    job -> {
                      seen.set(job);
                      throw lost;
                    }))
        .isSameAs(lost);
    assertThat(jobs.find(seen.get())).isEmpty();
    assertThat(jobs.findInput(seen.get(), 0)).isEmpty();
    assertThat(
            jdbc.sql("SELECT COUNT(*) FROM t_%s_task_1".formatted(book.name()))
                .query(Long.class)
                .single())
        .isZero();
  }

  @Test
  void furtherWorkIsOfTheCallThatCreatesTheJob() {
    List<Long> seen = new ArrayList<>();
    long id = creator.create(aJob("key"), FIRE, false, seen::add);
    assertThat(creator.create(aJob("key"), new FireId(7, 1), false, seen::add)).isEqualTo(id);
    assertThat(seen).containsExactly(id);
    assertThat(jobs.find(id).orElseThrow().fire()).isEqualTo(FIRE);
  }
}
