package io.asyncflow.worker.internal.spool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.HandDriven;
import io.asyncflow.worker.internal.loop.LoggedLines;
import io.asyncflow.worker.internal.loop.OutageLog;
import io.asyncflow.worker.internal.report.AllOrNothing;
import io.asyncflow.worker.internal.report.PendingReport;
import io.asyncflow.worker.internal.report.ReportSender;
import io.asyncflow.worker.internal.run.Run;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Reports that cannot be delivered, with time driven by hand. */
class SpooledReportsTest {

  @TempDir Path directory;
  private Path root;
  private DiskSpool spool;
  private HandDriven worker;

  @BeforeEach
  void aWorkerWithASpool() {
    root = directory.resolve("spool");
    useSpoolFor(3);
  }

  private void useSpoolFor(int reports) {
    spool = new DiskSpool(root, reports, Long.MAX_VALUE);
    worker = new HandDriven(spool);
    worker.firstBeat();
  }

  private Run finished(StageHandler handler) {
    Run run = worker.heldRun(handler);
    worker.work(run);
    return run;
  }

  private Run finished() {
    return finished(c -> StageResult.done("ready"));
  }

  /** From here on nothing is answered, as the heartbeats find out. */
  private void outage() {
    worker.server.setDown(true);
    worker.ticker.advance(Duration.ofSeconds(5));
    worker.turnOfHeartbeats();
  }

  /** The heartbeats find out that the server is back. */
  private void end() {
    worker.server.setDown(false);
    worker.ticker.advance(Duration.ofSeconds(5));
    worker.turnOfHeartbeats();
  }

  private TaskStatus statusOf(Run run) {
    return worker.server.getTask(run.task().taskId()).taskStatus();
  }

  @Test
  void aReportThatIsTakenAtOnceNeverSeesTheDisk() {
    finished();
    worker.sendReports();
    assertThat(root).doesNotExist();
  }

  @Test
  void aReportIsKeptFromItsFirstFailureUntilItStands() {
    Run run = finished();
    outage();
    worker.sendReports();
    assertThat(spool.size()).isEqualTo(1);
    end();
    worker.sendReports();
    assertThat(statusOf(run)).isEqualTo(TaskStatus.SUCCESS);
    assertThat(spool.size()).isZero();
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void aNightWithoutAServerIsNoReasonToGiveUp() {
    Run run = finished();
    outage();
    for (int i = 0; i < 3000; i++) {
      worker.ticker.advance(Duration.ofSeconds(10));
      worker.turnOfHeartbeats();
      worker.sendReports();
    }
    worker.server.setDown(false);
    worker.ticker.advance(Duration.ofSeconds(10));
    worker.sendReports();
    assertThat(worker.server.reports()).hasSize(1);
    assertThat(worker.server.accepted()).extracting(Report::taskId).contains(run.task().taskId());
  }

  @Test
  void theOneReportThatFailsWhileAllElseWorksIsSetAsideAfterTenMinutes() {
    Run run = finished();
    worker.server.refuseReports(report -> true, ErrorCode.INTERNAL);
    Duration passed = Duration.ZERO;
    while (worker.held.find(run.task().taskId(), 1) != null) {
      worker.sendReports();
      assertThat(worker.sender.behind()).as("others are served meanwhile").isFalse();
      worker.ticker.advance(Duration.ofSeconds(5));
      passed = passed.plusSeconds(5);
      assertThat(passed).isLessThan(Duration.ofMinutes(11));
    }
    assertThat(passed).isGreaterThan(Duration.ofMinutes(9));
    assertThat(spool.size()).isZero();
    assertThat(root.resolve("set-aside")).isNotEmptyDirectory();
  }

  @Test
  void anUploadThatIsGivenUpIsNoOutageToAnyoneElse() {
    OutageLog holds = new OutageLog(LoggerFactory.getLogger(getClass()), "holds", worker.link);
    worker.server.refuseObjects(ErrorCode.UNAVAILABLE);
    Run run = finished(c -> StageResult.done(LARGE));
    Duration passed = Duration.ZERO;
    while (worker.held.find(run.task().taskId(), 1) != null) {
      worker.sendReports();
      worker.ticker.advance(Duration.ofSeconds(5));
      passed = passed.plusSeconds(5);
      assertThat(passed).isLessThan(Duration.ofMinutes(11));
    }
    assertThat(worker.link.othersAreConnected(holds)).isTrue();
  }

  @Test
  void aWrongKeyIsNoFaultOfTheReport() {
    ReportSender shutOut =
        worker.sender(
            new AllOrNothing(worker.server, report -> true, ErrorCode.NOT_AUTHENTICATED), spool);
    shutOut.deliver(
        List.of(worker.writer.of(worker.heldRun(c -> null).task(), StageResult.fail("no voice"))));
    for (int i = 0; i < 1000; i++) {
      assertThat(shutOut.runOnce()).isLessThanOrEqualTo(Duration.ofSeconds(5));
      worker.ticker.advance(Duration.ofSeconds(5));
    }
    assertThat(shutOut.behind()).isTrue();
    assertThat(spool.size()).isEqualTo(1);
  }

  @Test
  void whatIsReleasedUntouchedIsNotWorthTheDisk() {
    Run run = worker.heldRun(c -> StageResult.done());
    worker.ends.release(run, "the test says so");
    outage();
    worker.sendReports();
    assertThat(spool.size()).isZero();
    assertThat(worker.sender.keepAll()).isEmpty();
    assertThat(worker.sender.behind()).isTrue();
  }

  @Test
  void aKeptReportThatDoesNotCountIsForgotten() {
    Run run = finished();
    outage();
    worker.sendReports();
    worker.server.setDown(false);
    worker.server.steal(run.task().taskId());
    end();
    try (LoggedLines log = new LoggedLines(ReportSender.class)) {
      worker.sendReports();
      assertThat(log.lines()).hasSize(1);
      assertThat(log.lines().get(0)).contains("does not count");
    }
    assertThat(spool.size()).isZero();
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void nothingNewIsBegunBetweenTheOutageAndTheReports() {
    List<String> told = new ArrayList<>();
    worker.sender.whenCaughtUp(() -> told.add("caught up"));
    finished();
    outage();
    worker.sendReports();
    assertThat(worker.sender.behind()).isTrue();
    worker.server.setDown(false);
    assertThat(worker.sender.behind()).isTrue();
    worker.ticker.advance(Duration.ofSeconds(5));
    worker.sendReports();
    assertThat(worker.sender.behind()).isFalse();
    assertThat(told).containsExactly("caught up");
  }

  @Test
  void whoIsToldThatTheSpoolIsFullHearsOfTheRoomThatAnotherLaneMakes() {
    useSpoolFor(2);
    worker.server.refuseReports(report -> true, ErrorCode.INTERNAL);
    finished();
    worker.sendReports();
    worker.server.refuseObjects(ErrorCode.INTERNAL);
    finished(c -> StageResult.done(LARGE));
    worker.server.refuseObjects(null);
    List<String> told = new ArrayList<>();
    worker.sender.whenCaughtUp(() -> told.add("caught up"));
    worker.server.refuseReports(
        report -> {
          worker.sender.storeOnce(); // beside the turn that sends, which began before
          told.add(worker.sender.behind() ? "behind" : "not behind");
          return false;
        },
        null);
    worker.ticker.advance(Duration.ofSeconds(1));
    worker.sender.runOnce();
    assertThat(told).containsExactly("behind", "caught up");
  }

  @Test
  void whoIsToldThatTheSpoolIsFullHearsOfTheRoomThatAHoldMakes() {
    useSpoolFor(1);
    storedInAnOutage();
    end();
    worker.sender.storeOnce();
    List<String> told = new ArrayList<>();
    worker.sender.whenCaughtUp(() -> told.add("caught up"));
    assertThat(worker.sender.behind()).isTrue();

    List<PendingReport> piggybacked = worker.sender.takePiggybackedReports();
    List<Report> reports = piggybacked.stream().map(PendingReport::report).toList();
    worker.sender.settlePiggybackedReports(piggybacked, worker.server.report(reports));

    assertThat(piggybacked).hasSize(1);
    assertThat(told).containsExactly("caught up");
  }

  @Test
  void theFirstAnswerOfAnyKindHurriesTheReports() {
    finished();
    outage();
    for (int i = 0; i < 10; i++) {
      worker.sendReports();
      worker.ticker.advance(Duration.ofMillis(i < 9 ? 5000 : 1));
    }
    worker.server.setDown(false);
    assertThat(worker.sender.runOnce()).as("rests a while").isPositive();
    assertThat(worker.server.accepted()).isEmpty();
    worker.turnOfHeartbeats();
    worker.sendReports();
    assertThat(worker.server.accepted()).hasSize(1);
  }

  @Test
  void aFullSpoolKeepsTheRestInMemory() {
    for (int i = 0; i < 5; i++) {
      finished();
    }
    outage();
    worker.sendReports();
    assertThat(spool.size()).isEqualTo(3);
    assertThat(worker.sender.behind()).isTrue();
    end();
    worker.sendReports();
    assertThat(worker.server.accepted()).hasSize(5);
    assertThat(spool.size()).isZero();
    assertThat(worker.sender.behind()).isFalse();
  }

  /** What a stop does as soon as nothing is held any more. */
  private List<Set<Run>> keptWhenSettled() {
    List<Set<Run>> kept = new ArrayList<>();
    worker.held.whenSettled(run -> kept.add(worker.sender.keepAll()));
    return kept;
  }

  @Test
  void aStopKeepsNoReportThatIsAccepted() {
    finished();
    Run last = finished();
    List<Set<Run>> kept = keptWhenSettled();
    worker.sender.runOnce();
    assertThat(worker.held.isEmpty()).isTrue();
    assertThat(kept).containsExactly(Set.of(last), Set.of());
    assertThat(spool.size()).isZero();
  }

  @Test
  void aStopKeepsNoReportThatAHoldDelivered() {
    finished();
    List<Set<Run>> kept = keptWhenSettled();
    List<PendingReport> piggybacked = worker.sender.takePiggybackedReports();
    List<Report> reports = piggybacked.stream().map(PendingReport::report).toList();
    worker.sender.settlePiggybackedReports(piggybacked, worker.server.report(reports));
    assertThat(kept).containsExactly(Set.of());
    assertThat(spool.size()).isZero();
  }

  @Test
  void aStopKeepsNoReportThatDoesNotCount() {
    Run run = finished();
    worker.server.steal(run.task().taskId());
    List<Set<Run>> kept = keptWhenSettled();
    worker.sender.runOnce();
    assertThat(kept).containsExactly(Set.of());
    assertThat(spool.size()).isZero();
  }

  @Test
  void whatIsAcceptedWhileAStopKeepsItIsNotKept() {
    List<Runnable> meanwhile = new ArrayList<>();
    worker =
        new HandDriven(
            (Spool)
                Proxy.newProxyInstance(
                    Spool.class.getClassLoader(),
                    new Class<?>[] {Spool.class},
                    (proxy, method, arguments) -> {
                      if (method.getName().equals("keep")) {
                        meanwhile.forEach(Runnable::run);
                      }
                      return method.invoke(spool, arguments);
                    }));
    worker.firstBeat();
    finished();
    meanwhile.add(() -> worker.sender.runOnce());

    assertThat(worker.sender.keepAll()).isEmpty();
    assertThat(worker.server.accepted()).hasSize(1);
    assertThat(spool.size()).isZero();
  }

  @Test
  void whatAWorkerLeftBehindIsDeliveredInItsName() {
    Run run = finished();
    worker.server.setDown(true);
    assertThat(worker.sender.keepAll()).containsExactly(run);
    spool.close();
    worker.server.setDown(false);

    DiskSpool heir = new DiskSpool(root);
    ReportSender next = worker.sender(worker.server, heir);
    next.adopt();
    assertThat(next.behind()).as("before anything is begun").isTrue();
    HandDriven.sendReports(next);
    assertThat(next.behind()).isFalse();
    assertThat(statusOf(run)).isEqualTo(TaskStatus.SUCCESS);
    assertThat(worker.server.getTask(run.task().taskId()).result()).isEqualTo("ready");
    assertThat(heir.size()).isZero();
  }

  @Test
  void whatWasTakenBeforeTheWorkerDiedIsTakenOnce() {
    Run run = finished();
    worker.server.swallowAnswers(1);
    worker.sendReports();
    assertThat(statusOf(run)).isEqualTo(TaskStatus.SUCCESS);
    spool.close();

    DiskSpool heir = new DiskSpool(root);
    ReportSender next = worker.sender(worker.server, heir);
    next.adopt();
    HandDriven.sendReports(next);
    assertThat(worker.server.reports()).hasSize(2);
    assertThat(worker.server.accepted()).hasSize(1);
    assertThat(heir.size()).isZero();
  }

  @Test
  void whatNoServerKnowsIsLeftToPeople() {
    Report strange =
        Report.of("9_lark_task_1", "w", 1, Outcome.SUCCESS).withReportId("r").withResult("x");
    spool.keep(strange);
    worker.sender.deliver(List.of(strange));
    worker.sendReports();
    assertThat(spool.size()).isZero();
    assertThat(root.resolve("set-aside").resolve("r.json")).exists();
  }

  @Test
  void whatTheServerDoesNotTakeOfAnEarlierWorkerIsExplainedInItsName() {
    worker.server.refuseObjects(ErrorCode.TOO_LARGE);
    Run run = finished(c -> StageResult.done("x".repeat(5000)));
    worker.server.setDown(true);
    worker.sender.keepAll();
    spool.close();
    worker.server.setDown(false);

    DiskSpool heir = new DiskSpool(root);
    ReportSender next = worker.sender(worker.server, heir);
    next.adopt();
    HandDriven.sendReports(next);
    HandDriven.sendReports(next);
    assertThat(statusOf(run)).isEqualTo(TaskStatus.FAILED);
    assertThat(worker.server.accepted().get(0).workerId()).isEqualTo(HandDriven.WORKER);
    assertThat(worker.server.accepted().get(0).errMsg()).contains("5000 bytes");
    assertThat(heir.size()).isZero();
  }

  private static final String LARGE = "x".repeat(5_000);

  private Run finishedInAnOutage() {
    Run run = worker.heldRun(c -> StageResult.done(LARGE));
    outage();
    worker.work(run);
    return run;
  }

  private String resultOf(Run run) {
    return worker.server.store().textOf(worker.server.getTask(run.task().taskId()).result());
  }

  @Test
  void aLargeResultOfAnOutageIsKeptWholeAndStoredWhenItIsOver() {
    Run run = finishedInAnOutage();
    worker.sendReports();
    assertThat(spool.size()).isEqualTo(1);
    end();

    worker.sendReports();

    assertThat(statusOf(run)).isEqualTo(TaskStatus.SUCCESS);
    assertThat(resultOf(run)).isEqualTo(LARGE);
    assertThat(spool.size()).isZero();
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void aLargeResultOfAProcessThatHasEndedIsStoredByItsHeir() {
    Run run = finishedInAnOutage();
    worker.sendReports();
    spool.close();
    worker.server.setDown(false);

    try (DiskSpool heirs = new DiskSpool(root)) {
      ReportSender heir = worker.sender(worker.server, heirs);
      heir.adopt();
      HandDriven.sendReports(heir);
      assertThat(heirs.size()).isZero();
    }
    assertThat(resultOf(run)).isEqualTo(LARGE);
  }

  @Test
  void aLargeResultWhoseAcceptanceWasNotHeardIsNotLost() {
    Run run = finished(c -> StageResult.done(LARGE));
    worker.server.swallowAnswers(1); // the report's; the text is in the store already
    worker.sendReports();
    assertThat(spool.size()).isEqualTo(1);
    spool.close();

    try (DiskSpool heirs = new DiskSpool(root)) {
      ReportSender heir = worker.sender(worker.server, heirs);
      heir.adopt();
      HandDriven.sendReports(heir);
      assertThat(heirs.size()).isZero();
    }
    assertThat(statusOf(run)).isEqualTo(TaskStatus.SUCCESS);
    assertThat(resultOf(run)).isEqualTo(LARGE);
  }

  @Test
  void aLargeResultOfALostLeaseIsDroppedLikeAnyOther() {
    Run run = finishedInAnOutage();
    worker.sendReports();
    worker.server.steal(run.task().taskId());
    end();

    worker.sendReports();

    assertThat(statusOf(run)).isEqualTo(TaskStatus.EXECUTING);
    assertThat(spool.size()).isZero();
    assertThat(worker.server.objects().references()).isEmpty();
  }

  private Run storedInAnOutage() {
    Run run = worker.heldRun(c -> StageResult.done(c.store("piece", stream("sound"))));
    outage();
    worker.work(run);
    return run;
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  private List<Path> objectsOnDisk() throws IOException {
    try (Stream<Path> all = Files.walk(root.resolve("objects"))) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  private String storedBy(Run run) throws IOException {
    StoreKey key = StoreKey.of(run.task().taskId(), "one", run.task().leaseEpoch(), "piece");
    try (InputStream in = worker.server.store().open(key)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  @Test
  void anObjectOfAnOutageIsKeptAndDeliveredBeforeTheReportThatNamesIt() throws IOException {
    Run run = storedInAnOutage();
    worker.sendReports();
    assertThat(spool.size()).isEqualTo(1);
    assertThat(objectsOnDisk()).hasSize(1);
    end();

    worker.server.refuseObjects(ErrorCode.STORE_FULL);
    worker.sendReports();
    assertThat(statusOf(run)).isNotEqualTo(TaskStatus.SUCCESS);

    worker.server.refuseObjects(null);
    worker.ticker.advance(Duration.ofSeconds(10));
    worker.sendReports();

    assertThat(statusOf(run)).isEqualTo(TaskStatus.SUCCESS);
    assertThat(storedBy(run)).isEqualTo("sound");
    assertThat(objectsOnDisk()).isEmpty();
    assertThat(spool.size()).isZero();
  }

  @Test
  void whatWasKeptDoesNotReplaceWhatTheRunHasStoredSince() throws IOException {
    Run run =
        worker.heldRun(
            c -> {
              c.store("piece", stream("first"));
              worker.server.setDown(false);
              return StageResult.done(c.store("piece", stream("second")));
            });
    outage();
    worker.work(run);
    end();
    worker.sender.deliverLeftObjects();
    worker.sendReports();

    assertThat(statusOf(run)).isEqualTo(TaskStatus.SUCCESS);
    assertThat(storedBy(run)).isEqualTo("second");
    assertThat(objectsOnDisk()).isEmpty();
  }

  @Test
  void anObjectThatIsRefusedFailsItsTaskEvenIfItWasDeliveredBeforeTheReport() {
    Run run = storedInAnOutage();
    worker.sendReports();
    spool.close();
    worker.server.setDown(false);
    worker.server.refuseObjects(ErrorCode.TOO_LARGE);

    try (DiskSpool heirs = new DiskSpool(root)) {
      ReportSender heir = worker.sender(worker.server, heirs);
      heirs.objects().look();
      heir.deliverLeftObjects();
      heir.deliver(heirs.adopt());
      HandDriven.sendReports(heir);
      HandDriven.sendReports(heir);
    }
    assertThat(statusOf(run)).isEqualTo(TaskStatus.FAILED);
  }

  @Test
  void anObjectOfAProcessThatHasEndedIsDeliveredByItsHeir() throws IOException {
    Run run = storedInAnOutage();
    worker.sendReports();
    spool.close();
    worker.server.setDown(false);

    try (DiskSpool heirs = new DiskSpool(root)) {
      ReportSender heir = worker.sender(worker.server, heirs);
      heir.adopt();
      HandDriven.sendReports(heir);
    }

    assertThat(statusOf(run)).isEqualTo(TaskStatus.SUCCESS);
    assertThat(storedBy(run)).isEqualTo("sound");
    assertThat(objectsOnDisk()).isEmpty();
  }

  @Test
  void anObjectThatAProcessKeptJustBeforeItsEndIsSeenWithItsReport() throws IOException {
    Run run = worker.heldRun(c -> null);
    StoreKey key = StoreKey.of(run.task().taskId(), "one", run.task().leaseEpoch(), "piece");
    ReportSender heir =
        worker.sender(
            worker.server,
            adopting(
                () -> {
                  new ObjectSpool(root.resolve("objects"))
                      .keep(key, HandDriven.WORKER, StoreContent.of("sound".getBytes(UTF_8)));
                  return List.of(worker.writer.of(run.task(), StageResult.done(key.reference())));
                }));
    heir.adopt();
    HandDriven.sendReports(heir);

    assertThat(statusOf(run)).isEqualTo(TaskStatus.SUCCESS);
    assertThat(storedBy(run)).isEqualTo("sound");
  }

  private Spool adopting(Supplier<List<Report>> leftBehind) {
    return (Spool)
        Proxy.newProxyInstance(
            Spool.class.getClassLoader(),
            new Class<?>[] {Spool.class},
            (proxy, method, arguments) ->
                method.getName().equals("adopt")
                    ? leftBehind.get()
                    : method.invoke(spool, arguments));
  }

  /** The server, with this happening while it takes an object. */
  private FlowClient duringEachUpload(Runnable event) {
    StoreClient store =
        new StoreClient() {
          @Override
          public void put(StoreKey key, String workerId, StoreContent content) {
            event.run();
            worker.server.store().put(key, workerId, content);
          }

          @Override
          public InputStream open(StoreKey key) {
            return worker.server.store().open(key);
          }
        };
    return (FlowClient)
        Proxy.newProxyInstance(
            FlowClient.class.getClassLoader(),
            new Class<?>[] {FlowClient.class},
            (proxy, method, arguments) ->
                method.getName().equals("store") ? store : method.invoke(worker.server, arguments));
  }

  @Test
  void othersReportWhileAnObjectIsUploaded() {
    Run slow = worker.heldRun(c -> null);
    Run other = worker.heldRun(c -> null);
    StoreKey key = StoreKey.of(slow.task().taskId(), "one", slow.task().leaseEpoch(), "piece");
    spool.objects().keep(key, HandDriven.WORKER, StoreContent.of("sound".getBytes(UTF_8)));
    List<String> seen = new ArrayList<>();
    ReportSender[] sender = new ReportSender[1];
    sender[0] =
        worker.sender(
            duringEachUpload(
                () -> {
                  sender[0].runOnce();
                  seen.add(statusOf(other) + ", and " + spool.size() + " is kept");
                }),
            spool);
    sender[0].deliver(
        List.of(
            worker.writer.of(slow.task(), StageResult.done(key.reference())),
            worker.writer.of(other.task(), StageResult.done())));

    sender[0].storeOnce();

    assertThat(seen).containsExactly("SUCCESS, and 1 is kept");
    assertThat(statusOf(slow)).isEqualTo(TaskStatus.EXECUTING);
    sender[0].runOnce();
    assertThat(statusOf(slow)).isEqualTo(TaskStatus.SUCCESS);
    assertThat(spool.size()).isZero();
  }

  @Test
  void whatSendsReportsUploadsNothing() {
    Run other = finished();
    Run slow = storedInAnOutage();
    end();

    worker.sender.runOnce();

    assertThat(statusOf(other)).isEqualTo(TaskStatus.SUCCESS);
    assertThat(statusOf(slow)).isNotEqualTo(TaskStatus.SUCCESS);
    assertThat(worker.server.objects().references()).isEmpty();
    assertThat(worker.sender.keepAll())
        .as("what waits for its upload is not forgotten")
        .containsExactly(slow);
  }

  @Test
  void objectOfAReportThatWaitsIsNotUploadedBesideIt() throws IOException {
    Run run = storedInAnOutage();
    worker.sendReports();
    spool.close();
    worker.server.setDown(false);

    try (DiskSpool heirs = new DiskSpool(root)) {
      ReportSender heir = worker.sender(worker.server, heirs);
      heir.adopt();
      heir.deliverLeftObjects();
      assertThat(worker.server.objects().references()).isEmpty();
      HandDriven.sendReports(heir);
    }
    assertThat(storedBy(run)).isEqualTo("sound");
  }

  @Test
  void anObjectOfALostLeaseIsDeletedAndGoesNowhere() throws IOException {
    Run run = storedInAnOutage();
    worker.sendReports();
    worker.server.steal(run.task().taskId());
    end();

    worker.sendReports();

    assertThat(worker.server.objects().references()).isEmpty();
    assertThat(objectsOnDisk()).isEmpty();
    assertThat(spool.size()).isZero();
  }

  @Test
  void anObjectThatNoReportNamesIsDeliveredOrDeletedInTheEnd() throws IOException {
    Run run =
        worker.heldRun(
            c -> {
              c.store("piece", stream("sound"));
              return StageResult.retry("not good enough");
            });
    outage();
    worker.work(run);
    end();
    worker.sendReports();
    assertThat(objectsOnDisk()).hasSize(1);

    worker.sender.deliverLeftObjects();

    assertThat(objectsOnDisk()).isEmpty();
  }

  @Test
  void anObjectThatIsKeptCanBeReadByItsRun() {
    List<String> read = new ArrayList<>();
    Run run =
        worker.heldRun(
            c -> {
              try (InputStream in = c.open(c.store("piece", stream("sound")))) {
                read.add(new String(in.readAllBytes(), UTF_8));
              }
              return StageResult.done();
            });
    outage();
    worker.work(run);

    assertThat(read).containsExactly("sound");
  }

  @Test
  void aFullSpoolTakesNoMoreObjects() {
    ObjectSpool small = new ObjectSpool(root.resolve("objects"), 10);
    StoreKey key = StoreKey.of("1_lark_task_1", "one", 1, "a");
    assertThat(small.keep(key, "w", StoreContent.of(new byte[10]))).isTrue();
    StoreKey more = StoreKey.of("1_lark_task_1", "one", 1, "b");
    assertThat(small.keep(more, "w", StoreContent.of(new byte[1]))).isFalse();
    assertThat(new ObjectSpool(null).keep(more, "w", StoreContent.of(new byte[1]))).isFalse();
  }

  @Test
  void whatAKilledProcessWasWritingIsDeletedWhenItIsOld() throws IOException {
    Path objects = Files.createDirectories(root.resolve("objects"));
    Path old = Files.writeString(objects.resolve("old.tmp"), "half");
    Path young = Files.writeString(objects.resolve("young.tmp"), "half");
    Files.setLastModifiedTime(old, FileTime.fromMillis(0));

    new ObjectSpool(objects).look();

    assertThat(old).doesNotExist();
    assertThat(young).exists();
  }
}
