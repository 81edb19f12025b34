package io.asyncflow.systemtest.check;

import static io.asyncflow.systemtest.check.HistoryBuilder.history;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.JobState;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.ReportResult;
import io.asyncflow.systemtest.invariant.Invariant;
import io.asyncflow.systemtest.invariant.Violation;
import io.asyncflow.systemtest.worker.JobScript;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The checker finds what is wrong, calls it by its number, and finds nothing else. */
class HistoryCheckerTest {

  private static final String TASK = "7_x_task_1";
  private static final String KEY = "key-7";
  private static final Duration A_LEASE = Duration.ofMillis(3_100);
  private static final Set<Invariant> BROKEN = EnumSet.noneOf(Invariant.class);

  @AfterAll
  static void everyInvariantHasAHistoryThatBreaksIt() {
    assertThat(BROKEN)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(Invariant.values()).filter(one -> !one.isOfSchedules()).toList());
  }

  private static void assertClean(HistoryBuilder history) {
    assertThat(history.judged().violations()).isEmpty();
  }

  private static void assertBreaks(Invariant invariant, HistoryBuilder history) {
    BROKEN.add(invariant);
    assertThat(history.judged().violations())
        .extracting(Violation::invariant)
        .isNotEmpty()
        .containsOnly(invariant);
  }

  /** A task that is created and then run from stage a, where the interesting part comes first. */
  private static HistoryBuilder finishedFromEpoch(HistoryBuilder history, int epoch) {
    return history
        .held(TASK, epoch, "a", "0")
        .handedOn(TASK, epoch, "b", "1")
        .held(TASK, epoch + 1, "b", "1")
        .handedOn(TASK, epoch + 1, "c", "2")
        .held(TASK, epoch + 2, "c", "2")
        .succeeded(TASK, epoch + 2, "3")
        .row(TASK, KEY, "c", 4, 0, epoch + 2, "2", "3");
  }

  @Nested
  class OfHistoriesWithFaultsThatWereSurvived {

    @Test
    void smoothLifeIsClean() {
      assertClean(history().aSmoothLifeOf(TASK, KEY).read(TASK, 3, 4));
    }

    @Test
    void lostWorkerIsReplacedAfterItsLease() {
      assertClean(
          finishedFromEpoch(
              history().created(TASK, KEY).held(TASK, 1, "a", "0").ran(TASK, 1, "a").later(A_LEASE),
              2));
    }

    @Test
    void reportWithoutAnswerMayHaveCounted() {
      HistoryBuilder history =
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .handedOnWithoutAnswer(TASK, 1, "b", "1");
      assertClean(
          history
              .held(TASK, 2, "b", "1")
              .handedOn(TASK, 2, "c", "2")
              .held(TASK, 3, "c", "2")
              .succeeded(TASK, 3, "3")
              .row(TASK, KEY, "c", 4, 0, 3, "2", "3"));
    }

    @Test
    void reportWithoutAnswerMayHaveBeenLost() {
      assertClean(
          finishedFromEpoch(
              history()
                  .created(TASK, KEY)
                  .held(TASK, 1, "a", "0")
                  .handedOnWithoutAnswer(TASK, 1, "b", "1")
                  .later(A_LEASE),
              2));
    }

    @Test
    void holdWithoutAnswerLeavesAGapInTheEpochs() {
      assertClean(finishedFromEpoch(history().created(TASK, KEY).later(A_LEASE), 2));
    }

    @Test
    void createWithoutAnswerMayHaveMadeItsTask() {
      assertClean(finishedFromEpoch(history().createdWithoutAnswer(KEY), 1));
      assertClean(history().createdWithoutAnswer(KEY));
    }

    @Test
    void replayedReportIsToldThatItStands() {
      assertClean(
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .handedOn(TASK, 1, "b", "1")
              .replayAnswered(TASK, 1, "b", "1", ReportResult.Verdict.ALREADY_DONE.name())
              .held(TASK, 2, "b", "1")
              .handedOn(TASK, 2, "c", "2")
              .replayAnswered(TASK, 1, "b", "1", ReportResult.Verdict.REFUSED.name())
              .held(TASK, 3, "c", "2")
              .succeeded(TASK, 3, "3")
              .row(TASK, KEY, "c", 4, 0, 3, "2", "3"));
    }

    @Test
    void lateReportIsAcceptedWhileNobodyHasHeldTheTaskSince() {
      assertClean(
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .later(A_LEASE)
              .handedOn(TASK, 1, "b", "1")
              .held(TASK, 2, "b", "1")
              .handedOn(TASK, 2, "c", "2")
              .held(TASK, 3, "c", "2")
              .succeeded(TASK, 3, "3")
              .row(TASK, KEY, "c", 4, 0, 3, "2", "3"));
    }

    @Test
    void errorsOfAFaultAreExcused() {
      assertClean(
          history().aSmoothLifeOf(TASK, KEY).broken().readFailed(TASK, ErrorCode.UNAVAILABLE));
    }

    @Test
    void attemptThatRanOutOfTimeIsAFailure() {
      HistoryBuilder history = history().created(TASK, KEY).held(TASK, 1, "a", "0");
      for (int second = 0; second < 20; second += 2) {
        history.later(Duration.ofSeconds(2)).renewed(TASK, 1);
      }
      history
          .later(A_LEASE)
          .held(TASK, 2, "a", "0", 1, "worker-2")
          .reported(TASK, 2, Outcome.FAIL)
          .row(TASK, KEY, "a", 8, 2, 2, "0", null);
      assertClean(history);
    }
  }

  @Nested
  class OfCreation {

    @Test
    void acknowledgedTaskWithoutARowIsLost() {
      assertBreaks(Invariant.CREATED_IS_FINISHED, history().created(TASK, KEY));
    }

    @Test
    void acknowledgedTaskThatIsNotFinalIsStuck() {
      assertBreaks(
          Invariant.CREATED_IS_FINISHED,
          history().created(TASK, KEY).row(TASK, KEY, "a", 1, 0, 0, "0", null));
    }

    @Test
    void taskThatNobodyCreatedIsAPhantom() {
      assertBreaks(Invariant.NOTHING_FROM_NOWHERE, history().held(TASK, 1, "a", "0"));
      assertBreaks(
          Invariant.NOTHING_FROM_NOWHERE, history().row(TASK, "unknown", "a", 4, 0, 1, "0", "3"));
    }

    @Test
    void keyWithTwoTasksIsADuplicate() {
      String twin = "8_x_task_1";
      assertBreaks(
          Invariant.ONE_TASK_A_KEY, history().aSmoothLifeOf(TASK, KEY).aSmoothLifeOf(twin, KEY));
    }

    @Test
    void numberInTwoTablesIsNotUnique() {
      assertBreaks(
          Invariant.IDS_ARE_UNIQUE,
          history().aSmoothLifeOf(TASK, KEY).aSmoothLifeOf("7_x_task_2", "key-8").position(1, 2));
    }

    @Test
    void taskOfTwoKeysIsNotUnique() {
      assertBreaks(
          Invariant.IDS_ARE_UNIQUE, history().created(TASK, "key-8").aSmoothLifeOf(TASK, KEY));
    }
  }

  @Nested
  class OfHolds {

    @Test
    void epochOfTwoWorkersIsShared() {
      assertBreaks(
          Invariant.EPOCHS_RISE,
          finishedFromEpoch(
              history().created(TASK, KEY).held(TASK, 1, "a", "0", 0, "somebody else"), 1));
    }

    @Test
    void epochThatFallsIsWrong() {
      assertBreaks(
          Invariant.EPOCHS_RISE,
          finishedFromEpoch(
              history()
                  .created(TASK, KEY)
                  .held(TASK, 2, "a", "0")
                  .later(A_LEASE)
                  .held(TASK, 1, "a", "0")
                  .later(A_LEASE),
              3));
    }

    @Test
    void snoozedTaskMustNotComeEarly() {
      assertBreaks(
          Invariant.NOT_BEFORE_IT_IS_DUE,
          finishedFromEpoch(
              history().created(TASK, KEY).held(TASK, 1, "a", "0").snoozed(TASK, 1, 5_000), 2));
    }

    @Test
    void failedTaskMustWaitForItsRetry() {
      HistoryBuilder history =
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .reported(TASK, 1, Outcome.RETRY)
              .later(Duration.ofMillis(500))
              .held(TASK, 2, "a", "0", 1, "worker-2")
              .reported(TASK, 2, Outcome.FAIL)
              .row(TASK, KEY, "a", 8, 2, 2, "0", null);
      assertBreaks(Invariant.NOT_BEFORE_IT_IS_DUE, history);
    }

    @Test
    void retryIsDueFromTheFirstDeliveryOfItsReportThatMayHaveBeenWritten() {
      HistoryBuilder history =
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .retriedWithoutAnswer(TASK, 1)
              .later(Duration.ofMillis(600))
              .retriedBefore(TASK, 1)
              .later(Duration.ofMillis(600))
              .held(TASK, 2, "a", "0", 1, "worker-2")
              .reported(TASK, 2, Outcome.FAIL)
              .row(TASK, KEY, "a", 8, 2, 2, "0", null);
      assertThat(history.judged().violations()).isEmpty();
    }

    @Test
    void delayedTaskMustNotStartEarly() {
      assertBreaks(
          Invariant.NOT_BEFORE_IT_IS_DUE,
          finishedFromEpoch(history().created(TASK, KEY, 5_000L), 1));
    }

    @Test
    void liveLeaseMustNotBeSwept() {
      assertBreaks(
          Invariant.NO_SWEEP_OF_A_LIVE_LEASE,
          finishedFromEpoch(
              history().created(TASK, KEY).held(TASK, 1, "a", "0").later(Duration.ofSeconds(2)),
              2));
    }

    @Test
    void operatorMayEndALiveLease() {
      assertThat(
              finishedFromEpoch(
                      history()
                          .created(TASK, KEY)
                          .held(TASK, 1, "a", "0")
                          .later(Duration.ofSeconds(2))
                          .revoked(TASK),
                      2)
                  .judged()
                  .violations())
          .isEmpty();
    }

    @Test
    void renewedLeaseMustNotBeSwept() {
      assertBreaks(
          Invariant.NO_SWEEP_OF_A_LIVE_LEASE,
          finishedFromEpoch(
              history()
                  .created(TASK, KEY)
                  .held(TASK, 1, "a", "0")
                  .later(Duration.ofSeconds(2))
                  .renewed(TASK, 1)
                  .later(Duration.ofSeconds(2)),
              2));
    }
  }

  @Nested
  class OfReports {

    @Test
    void reportAfterANewerHoldIsStale() {
      assertBreaks(
          Invariant.NO_STALE_REPORT,
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .later(A_LEASE)
              .held(TASK, 2, "a", "0")
              .reported(TASK, 1, Outcome.RELEASE)
              .handedOn(TASK, 2, "b", "1")
              .held(TASK, 3, "b", "1")
              .handedOn(TASK, 3, "c", "2")
              .held(TASK, 4, "c", "2")
              .succeeded(TASK, 4, "3")
              .row(TASK, KEY, "c", 4, 0, 4, "2", "3"));
    }

    @Test
    void secondAcceptedReportOfAnEpochIsOneTooMany() {
      assertBreaks(
          Invariant.ONE_REPORT_AN_EPOCH,
          finishedFromEpoch(
              history()
                  .created(TASK, KEY)
                  .held(TASK, 1, "a", "0")
                  .reported(TASK, 1, Outcome.RELEASE)
                  .reported(TASK, 1, "another", Outcome.RELEASE, null, null, null),
              2));
    }

    @Test
    void replayMustBeRecognized() {
      assertBreaks(
          Invariant.ONE_REPORT_AN_EPOCH,
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .handedOn(TASK, 1, "b", "1")
              .replayAnswered(TASK, 1, "b", "1", ReportResult.Verdict.REFUSED.name())
              .held(TASK, 2, "b", "1")
              .handedOn(TASK, 2, "c", "2")
              .held(TASK, 3, "c", "2")
              .succeeded(TASK, 3, "3")
              .row(TASK, KEY, "c", 4, 0, 3, "2", "3"));
    }

    @Test
    void stageThatIsCommittedTwiceHasTwoResults() {
      assertBreaks(
          Invariant.ONE_RESULT_A_STAGE,
          finishedFromEpoch(
              history().created(TASK, KEY).held(TASK, 1, "a", "0").handedOn(TASK, 1, "a", "0"), 2));
    }

    @Test
    void cancelledTaskCommitsNothing() {
      assertBreaks(
          Invariant.CANCELLED_IS_OVER,
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .cancelled(TASK)
              .reported(TASK, 1, Outcome.RELEASE)
              .row(TASK, KEY, "a", 16, 0, 1, "0", null));
    }
  }

  @Nested
  class OfStates {

    @Test
    void heldTaskIsExecuting() {
      assertBreaks(
          Invariant.FINAL_IS_FINAL,
          finishedFromEpoch(
              history()
                  .created(TASK, KEY)
                  .heldWithStatus(TASK, 1, 1)
                  .reported(TASK, 1, Outcome.RELEASE),
              2));
    }

    @Test
    void finalTaskStaysAsItIs() {
      assertBreaks(Invariant.FINAL_IS_FINAL, history().aSmoothLifeOf(TASK, KEY).read(TASK, 3, 1));
    }

    @Test
    void stageMustNotBeSkipped() {
      assertBreaks(
          Invariant.STAGES_FOLLOW_THE_PATH,
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .handedOn(TASK, 1, "b", "1")
              .held(TASK, 2, "c", "1")
              .succeeded(TASK, 2, "3")
              .row(TASK, KEY, "c", 4, 0, 2, "1", "3"));
    }

    @Test
    void contextMustBeTheCommittedOne() {
      assertBreaks(
          Invariant.STAGES_FOLLOW_THE_PATH,
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .handedOn(TASK, 1, "b", "1")
              .held(TASK, 2, "b", "0")
              .succeeded(TASK, 2, "3")
              .row(TASK, KEY, "b", 4, 0, 2, "0", "3"));
    }

    @Test
    void resultMustBeTheCommittedOne() {
      assertBreaks(
          Invariant.STAGES_FOLLOW_THE_PATH,
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .succeeded(TASK, 1, "3")
              .row(TASK, KEY, "a", 4, 0, 1, "0", "4"));
    }

    @Test
    void lostWorkerMustNotBurnARetry() {
      assertBreaks(
          Invariant.RETRIES_ARE_COUNTED,
          history()
              .created(TASK, KEY)
              .held(TASK, 1, "a", "0")
              .later(A_LEASE)
              .held(TASK, 2, "a", "0", 1, "worker-2")
              .succeeded(TASK, 2, "3")
              .row(TASK, KEY, "a", 4, 1, 2, "0", "3"));
    }

    @Test
    void exhaustedTaskMustFail() {
      HistoryBuilder history = history().created(TASK, KEY);
      for (int epoch = 1; epoch <= 4; epoch++) {
        history
            .held(TASK, epoch, "a", "0", epoch - 1, "worker-" + epoch)
            .reported(TASK, epoch, Outcome.RETRY)
            .later(Duration.ofSeconds(1));
      }
      history
          .held(TASK, 5, "a", "0", 4, "worker-5")
          .succeeded(TASK, 5, "3")
          .row(TASK, KEY, "a", 4, 4, 5, "0", "3");
      assertBreaks(Invariant.RETRIES_ARE_COUNTED, history);
    }
  }

  @Nested
  class OfTables {

    @Test
    void positionMustNotFall() {
      assertBreaks(
          Invariant.TABLES_ROLL_FORWARD,
          history().aSmoothLifeOf(TASK, KEY).position(1, 3).position(1, 2));
    }

    @Test
    void positionMustNotCross() {
      assertBreaks(
          Invariant.TABLES_ROLL_FORWARD, history().aSmoothLifeOf(TASK, KEY).position(2, 1));
    }

    @Test
    void nothingUnfinishedLiesBehindBegin() {
      assertBreaks(
          Invariant.TABLES_ROLL_FORWARD,
          history()
              .createdWithoutAnswer(KEY)
              .row(TASK, KEY, "a", 1, 0, 0, "0", null)
              .position(2, 2));
    }

    @Test
    void acknowledgedTaskCanAlwaysBeRead() {
      assertBreaks(
          Invariant.TABLES_ROLL_FORWARD, history().aSmoothLifeOf(TASK, KEY).notFound(TASK));
    }

    @Test
    void readShowsTheHoldThatCameBefore() {
      assertBreaks(
          Invariant.READ_YOUR_WRITES,
          finishedFromEpoch(
              history().created(TASK, KEY).held(TASK, 1, "a", "0").read(TASK, 0, 1).later(A_LEASE),
              2));
    }
  }

  @Nested
  class OfHealth {

    @Test
    void errorWithoutAFaultIsABug() {
      assertBreaks(
          Invariant.NO_ERROR_WITHOUT_A_FAULT,
          history().aSmoothLifeOf(TASK, KEY).readFailed(TASK, ErrorCode.UNAVAILABLE));
    }

    @Test
    void faultExcusesOnlyThoseThatItTroubles() {
      HistoryBuilder history = history().aSmoothLifeOf(TASK, KEY);
      assertBreaks(
          Invariant.NO_ERROR_WITHOUT_A_FAULT,
          history.broken("worker-1-,worker-2-").readFailed(TASK, ErrorCode.UNAVAILABLE));
      assertBreaks(
          Invariant.NO_ERROR_WITHOUT_A_FAULT,
          history().aSmoothLifeOf(TASK, KEY).broken("").readFailed(TASK, ErrorCode.UNAVAILABLE));
      assertClean(
          history()
              .aSmoothLifeOf(TASK, KEY)
              .broken("worker-1-,test")
              .readFailed(TASK, ErrorCode.UNAVAILABLE));
    }

    @Test
    void faultThatIsLongOverExcusesNothing() {
      assertBreaks(
          Invariant.NO_ERROR_WITHOUT_A_FAULT,
          history()
              .aSmoothLifeOf(TASK, KEY)
              .broken()
              .later(Duration.ofSeconds(20))
              .readFailed(TASK, ErrorCode.INTERNAL));
    }

    @Test
    void healedSystemDrainsInTime() {
      assertBreaks(
          Invariant.HEALED_MEANS_DRAINED,
          finishedFromEpoch(
              history().created(TASK, KEY).healed().later(HistoryBuilder.RULES.drainWithin()), 1));
    }

    @Test
    void healedSystemFinishesWhatNobodyWasToldOf() {
      assertBreaks(
          Invariant.HEALED_MEANS_DRAINED,
          history().createdWithoutAnswer(KEY).row(TASK, KEY, "a", 1, 0, 0, "0", null).healed());
    }
  }

  @Nested
  class OfJobs {

    private static final String JOB = "100";
    private static final String JOB_KEY = "job-key";
    private static final String SPLIT = "1_x_task_1";
    private static final String FIRST = "2_x_task_1";
    private static final String SECOND = "3_x_task_1";
    private static final String MERGE = "4_x_task_1";
    private static final String MERGED = JobScript.merged(Stream.of("r0", "r1"));

    /** A job of two children as far as calls go: split, run, merged. */
    private HistoryBuilder runThrough() {
      return history()
          .jobCreated(JOB, JOB_KEY, "0", "1")
          .done(SPLIT, "split", "", null)
          .done(FIRST, "a", "0", "r0")
          .done(SECOND, "a", "1", "r1")
          .done(MERGE, "merge", "", MERGED);
    }

    private HistoryBuilder splitRow(HistoryBuilder history) {
      return history.rowOf(JOB, -1, SPLIT, JOB_KEY, "split", 4, "", null);
    }

    private HistoryBuilder childRows(HistoryBuilder history) {
      return splitRow(history)
          .rowOf(JOB, 0, FIRST, JOB_KEY, "a", 4, "0", "r0")
          .rowOf(JOB, 1, SECOND, JOB_KEY, "a", 4, "1", "r1");
    }

    private HistoryBuilder rows(HistoryBuilder history) {
      return childRows(history).rowOf(JOB, -2, MERGE, JOB_KEY, "merge", 4, "", MERGED);
    }

    @Test
    void smoothLifeIsClean() {
      assertClean(rows(runThrough()).jobRow(JOB, JOB_KEY, JobState.SUCCESS, 2, 2, 0, 0, MERGED));
    }

    @Test
    void mergeThatEndsDuringACancelCountsForNothing() {
      assertClean(
          rows(runThrough().jobCancelled(JOB))
              .jobRow(JOB, JOB_KEY, JobState.CANCELLED, 2, 2, 0, 0, null));
    }

    @Test
    void countsEqualTheRows() {
      assertBreaks(
          Invariant.JOBS_ADD_UP,
          rows(runThrough()).jobRow(JOB, JOB_KEY, JobState.SUCCESS, 2, 3, 0, 0, MERGED));
    }

    @Test
    void childIsThereOnce() {
      HistoryBuilder twice =
          history()
              .jobCreated(JOB, JOB_KEY, "0", "0")
              .done(SPLIT, "split", "", null)
              .done(FIRST, "a", "0", "r0")
              .done(SECOND, "a", "0", "r1")
              .done(MERGE, "merge", "", MERGED);
      assertBreaks(
          Invariant.JOBS_ADD_UP,
          splitRow(twice)
              .rowOf(JOB, 0, FIRST, JOB_KEY, "a", 4, "0", "r0")
              .rowOf(JOB, 0, SECOND, JOB_KEY, "a", 4, "0", "r1")
              .rowOf(JOB, -2, MERGE, JOB_KEY, "merge", 4, "", MERGED)
              .jobRow(JOB, JOB_KEY, JobState.SUCCESS, 2, 2, 0, 0, MERGED));
    }

    @Test
    void mergeIsThereOnce() {
      assertBreaks(
          Invariant.JOBS_ADD_UP,
          rows(runThrough().done("5_x_task_1", "merge", "", MERGED))
              .rowOf(JOB, -2, "5_x_task_1", JOB_KEY, "merge", 4, "", MERGED)
              .jobRow(JOB, JOB_KEY, JobState.SUCCESS, 2, 2, 0, 0, MERGED));
    }

    @Test
    void endFitsWhatBecameOfTheTasks() {
      assertBreaks(
          Invariant.JOBS_ADD_UP,
          childRows(runThrough())
              .rowOf(JOB, -2, MERGE, JOB_KEY, "merge", 16, "", MERGED)
              .jobRow(JOB, JOB_KEY, JobState.SUCCESS, 2, 2, 0, 0, MERGED));
      assertBreaks(
          Invariant.JOBS_ADD_UP,
          rows(runThrough()).jobRow(JOB, JOB_KEY, JobState.FAILED, 2, 2, 0, 0, null));
      assertBreaks(
          Invariant.JOBS_ADD_UP,
          rows(runThrough()).jobRow(JOB, JOB_KEY, JobState.CANCELLED, 2, 2, 0, 0, null));
      assertBreaks(
          Invariant.JOBS_ADD_UP,
          rows(runThrough().jobCancelled(JOB))
              .jobRow(JOB, JOB_KEY, JobState.SUCCESS, 2, 2, 0, 0, MERGED));
    }

    @Test
    void endedJobHasNoUnfinishedTask() {
      assertBreaks(
          Invariant.JOBS_ADD_UP,
          history()
              .jobCreated(JOB, JOB_KEY, "0")
              .rowOf(JOB, -1, SPLIT, JOB_KEY, "split", 1, "", null)
              .jobRow(JOB, JOB_KEY, JobState.FAILED, null, 0, 0, 0, null));
    }

    @Test
    void acknowledgedJobIsThereAndEnds() {
      assertBreaks(Invariant.CREATED_IS_FINISHED, history().jobCreated(JOB, JOB_KEY, "0"));
      assertBreaks(
          Invariant.CREATED_IS_FINISHED,
          rows(runThrough()).jobRow(JOB, JOB_KEY, JobState.MERGING, 2, 2, 0, 0, null));
    }

    @Test
    void jobThatNobodyWasToldOfMayBeThereOrNot() {
      HistoryBuilder history = history().jobCreatedWithoutAnswer(JOB_KEY, "0");
      assertClean(history);
      assertClean(
          history
              .rowOf(JOB, -1, SPLIT, JOB_KEY, "split", 8, "", null)
              .jobRow(JOB, JOB_KEY, JobState.FAILED, null, 0, 0, 0, null));
    }

    @Test
    void keyMakesOneJob() {
      assertBreaks(
          Invariant.ONE_TASK_A_KEY,
          history()
              .jobCreated(JOB, JOB_KEY, "0")
              .rowOf(JOB, -1, SPLIT, JOB_KEY, "split", 8, "", null)
              .jobRow(JOB, JOB_KEY, JobState.FAILED, null, 0, 0, 0, null)
              .rowOf("200", -1, FIRST, JOB_KEY, "split", 8, "", null)
              .jobRow("200", JOB_KEY, JobState.FAILED, null, 0, 0, 0, null));
    }

    @Test
    void jobOfAnUnknownKeyIsAPhantom() {
      assertBreaks(
          Invariant.NOTHING_FROM_NOWHERE,
          history().jobRow(JOB, "no key", JobState.FAILED, null, 0, 0, 0, null));
    }

    @Test
    void childIsHeldBackUntilTheSplitHasReported() {
      HistoryBuilder history =
          history()
              .jobCreated(JOB, JOB_KEY, "0", "1")
              .done(FIRST, "a", "0", "r0")
              .done(SPLIT, "split", "", null)
              .done(SECOND, "a", "1", "r1")
              .done(MERGE, "merge", "", MERGED);
      assertBreaks(
          Invariant.STAGES_FOLLOW_THE_PATH,
          rows(history).jobRow(JOB, JOB_KEY, JobState.SUCCESS, 2, 2, 0, 0, MERGED));
    }

    @Test
    void mergeSeesEveryChildInOrder() {
      HistoryBuilder early =
          history()
              .jobCreated(JOB, JOB_KEY, "0", "1")
              .done(SPLIT, "split", "", null)
              .done(FIRST, "a", "0", "r0")
              .done(MERGE, "merge", "", MERGED)
              .done(SECOND, "a", "1", "r1");
      assertBreaks(
          Invariant.STAGES_FOLLOW_THE_PATH,
          rows(early).jobRow(JOB, JOB_KEY, JobState.SUCCESS, 2, 2, 0, 0, MERGED));
      String other = JobScript.merged(Stream.of("r1", "r0"));
      HistoryBuilder turned =
          history()
              .jobCreated(JOB, JOB_KEY, "0", "1")
              .done(SPLIT, "split", "", null)
              .done(FIRST, "a", "0", "r0")
              .done(SECOND, "a", "1", "r1")
              .done(MERGE, "merge", "", other);
      assertBreaks(
          Invariant.STAGES_FOLLOW_THE_PATH,
          childRows(turned)
              .rowOf(JOB, -2, MERGE, JOB_KEY, "merge", 4, "", other)
              .jobRow(JOB, JOB_KEY, JobState.SUCCESS, 2, 2, 0, 0, other));
    }
  }
}
