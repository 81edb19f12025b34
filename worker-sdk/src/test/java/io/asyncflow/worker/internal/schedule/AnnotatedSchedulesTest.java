package io.asyncflow.worker.internal.schedule;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.JobChild;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.worker.Cron;
import io.asyncflow.worker.InvalidStageException;
import io.asyncflow.worker.JobMerger;
import io.asyncflow.worker.JobSplitter;
import io.asyncflow.worker.MergeContext;
import io.asyncflow.worker.SplitContext;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.time.ZoneId;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AnnotatedSchedulesTest {

  static class Methods {
    @Stage(type = "report", stage = "build")
    @Cron(
        name = "nightly",
        value = "0 0 3 * * *",
        zone = "Europe/Berlin",
        revision = 3,
        user = "ops",
        context = "{\"a\":1}",
        overlap = Overlap.SKIP)
    StageResult build(StageContext context) {
      return StageResult.done();
    }

    @Stage(type = "report", stage = "plain")
    StageResult plain(StageContext context) {
      return StageResult.done();
    }
  }

  @Stage(type = "report", stage = "probe")
  @Cron(name = "probe", every = "30s")
  static class OnTheClass implements StageHandler {
    @Override
    public StageResult handle(StageContext context) {
      return StageResult.done();
    }
  }

  @Stage(type = "book", stage = "split")
  @Cron(name = "books", value = "@daily", context = "all of them")
  static class Splitter implements JobSplitter {
    @Override
    public Stream<JobChild> split(SplitContext job) {
      return Stream.empty();
    }
  }

  @Test
  void aMarkedMethodCreatesTasksInItsStage() {
    assertThat(AnnotatedSchedules.of(new Methods()))
        .containsExactly(
            NewSchedule.cron("nightly", "0 0 3 * * *", ZoneId.of("Europe/Berlin"))
                .creating(NewTask.of("report", "build", "ops", "{\"a\":1}"))
                .overlap(Overlap.SKIP)
                .revision(3));
  }

  @Test
  void aMarkedClassDoesToo() {
    assertThat(AnnotatedSchedules.of(new OnTheClass()))
        .containsExactly(
            NewSchedule.every("probe", ofSeconds(30))
                .creating(NewTask.of("report", "probe", "schedule", "{}"))
                .overlap(Overlap.ALLOW)
                .revision(0));
  }

  @Test
  void aSplitterGetsJobs() {
    assertThat(AnnotatedSchedules.of(new Splitter()))
        .containsExactly(
            NewSchedule.cron("books", "@daily", ZoneId.of("UTC"))
                .creating(NewJob.of("book", "schedule", "all of them"))
                .overlap(Overlap.ALLOW)
                .revision(0));
  }

  static class WithoutStage {
    @Stage(type = "report", stage = "one")
    StageResult one(StageContext context) {
      return StageResult.done();
    }

    @Cron(name = "n", value = "@daily")
    StageResult two(StageContext context) {
      return StageResult.done();
    }
  }

  static class WithoutPlan {
    @Stage(type = "report", stage = "one")
    @Cron(name = "n")
    StageResult one(StageContext context) {
      return StageResult.done();
    }
  }

  static class WithTwoPlans {
    @Stage(type = "report", stage = "one")
    @Cron(name = "n", value = "@daily", every = "PT1M")
    StageResult one(StageContext context) {
      return StageResult.done();
    }
  }

  static class WithFourFields {
    @Stage(type = "report", stage = "one")
    @Cron(name = "n", value = "0 3 * *")
    StageResult one(StageContext context) {
      return StageResult.done();
    }
  }

  static class WithUnknownZone {
    @Stage(type = "report", stage = "one")
    @Cron(name = "n", value = "@daily", zone = "Europe/Atlantis")
    StageResult one(StageContext context) {
      return StageResult.done();
    }
  }

  static class TooOften {
    @Stage(type = "report", stage = "one")
    @Cron(name = "n", every = "PT0.5S")
    StageResult one(StageContext context) {
      return StageResult.done();
    }
  }

  static class WithoutDuration {
    @Stage(type = "report", stage = "one")
    @Cron(name = "n", every = "30")
    StageResult one(StageContext context) {
      return StageResult.done();
    }
  }

  static class WithoutName {
    @Stage(type = "report", stage = "one")
    @Cron(name = " ", every = "PT30S")
    StageResult one(StageContext context) {
      return StageResult.done();
    }
  }

  static class WithOneNameTwice {
    @Stage(type = "report", stage = "one")
    @Cron(name = "n", every = "PT30S")
    StageResult one(StageContext context) {
      return StageResult.done();
    }

    @Stage(type = "report", stage = "two")
    @Cron(name = "n", every = "PT40S")
    StageResult two(StageContext context) {
      return StageResult.done();
    }
  }

  @Stage(type = "book", stage = "merge")
  @Cron(name = "n", value = "@daily")
  static class Merger implements JobMerger {
    @Override
    public StageResult merge(MergeContext job) {
      return StageResult.done();
    }
  }

  static Stream<Arguments> invalid() {
    return Stream.of(
        Arguments.of(new WithoutStage(), "has no @Stage"),
        Arguments.of(new WithoutPlan(), "has neither value nor every"),
        Arguments.of(new WithTwoPlans(), "has a value and an every"),
        Arguments.of(new WithFourFields(), "'0 3 * *', which is no cron expression"),
        Arguments.of(new WithUnknownZone(), "'Europe/Atlantis', which is no time zone"),
        Arguments.of(new TooOften(), "which is no interval of 1 s to 366 days"),
        Arguments.of(new WithoutDuration(), "'30', which is no interval of 1 s to 366 days"),
        Arguments.of(new WithoutName(), "has the name ' '"),
        Arguments.of(new WithOneNameTwice(), "two schedules have the name n"),
        Arguments.of(new Merger(), "merges jobs and runs in no task of its own"));
  }

  @ParameterizedTest
  @MethodSource("invalid")
  void anInvalidScheduleIsRefusedBeforeTheWorkerIsBuilt(Object handlers, String problem) {
    assertThatExceptionOfType(InvalidStageException.class)
        .isThrownBy(() -> Worker.builder().handlers(handlers))
        .satisfies(e -> assertThat(e.problem()).endsWith(problem));
  }

  @Test
  void aScheduleThatCreatesNothingIsRefusedToo() {
    assertThatExceptionOfType(InvalidStageException.class)
        .isThrownBy(() -> Worker.builder().schedule(NewSchedule.every("n", ofSeconds(1))))
        .withMessage(
            "schedule n creates nothing, or two things; name one task or one job with creating(…)");
  }
}
