package io.asyncflow.flowsvr.queue.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is remembered of looks; the database's clock stands at an hour, ours at whatever. */
class DueMapTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final TaskTable OLD = new TaskTable(LARK, 1);
  private static final TaskTable NEW = new TaskTable(LARK, 2);
  private static final Source STRAGGLER = new Source(OLD, "first");
  private static final Source BUSY = new Source(NEW, "first");
  private static final long HOUR = 3_600_000;
  private static final long START = Long.MAX_VALUE - 5; // a clock that is about to wrap around

  private final DueMap map = new DueMap();

  @Test
  void whatNobodyHasSeenIsLookedAtFromItsBeginning() {
    assertThat(map.rangeOf(STRAGGLER, START)).contains(Range.whole(STRAGGLER));
    assertThat(map.nextLook(List.of(STRAGGLER), START)).isZero();
  }

  @Test
  void sourceInWhichNothingWaitsIsQuietUntilTheScanIsLongOverdue() {
    see(STRAGGLER, START);
    assertThat(map.rangeOf(STRAGGLER, START + ms(9_999))).isEmpty();
    assertThat(map.nextLook(List.of(STRAGGLER), START)).isEqualTo(ms(10_000));
    assertThat(map.rangeOf(STRAGGLER, START + ms(10_000))).contains(Range.whole(STRAGGLER));
  }

  @Test
  void whatOnlyALookAtAPartSawIsNotTrustedLonger() {
    see(BUSY, START, HOUR - 60_000);
    map.saw(new Range(BUSY, HOUR - 60_250), List.of(), 0, START + ms(400));
    assertThat(map.nextLook(List.of(BUSY), START + ms(400))).isEqualTo(ms(600));
    assertThat(map.rangeOf(BUSY, START + ms(1_000))).contains(Range.whole(BUSY));
  }

  @Test
  void quietSourcesAreScannedWhenTheyWereNotSeenForAWhile() {
    see(STRAGGLER, START);
    long second = ms(1_000);
    assertThat(map.quietToScan(List.of(STRAGGLER), second, START + ms(999))).isEmpty();
    assertThat(map.quietToScan(List.of(STRAGGLER), second, START + second))
        .containsExactly(STRAGGLER);
    assertThat(map.quietToScan(List.of(BUSY), second, START)).as("unknown").containsExactly(BUSY);

    see(STRAGGLER, START + second, HOUR - 1);
    assertThat(map.quietToScan(List.of(STRAGGLER), 0, START + 2 * second)).as("due").isEmpty();
  }

  @Test
  void newsEndsTheLongQuietToo() {
    see(STRAGGLER, START);
    map.on(new TasksWaiting(LARK, Set.of(OLD), Set.of("first"), true));
    assertThat(map.rangeOf(STRAGGLER, START + ms(3_000))).contains(Range.whole(STRAGGLER));
  }

  @Test
  void quietSourceThatIsLookedAtInAnyCaseIsNotLookedAtFromItsBeginningForASecond() {
    assertThat(map.requiredRange(BUSY, START)).isEqualTo(Range.whole(BUSY));
    see(BUSY, START, HOUR + 60_000);
    Range behindWhatWasTaken = new Range(BUSY, HOUR - 250);
    assertThat(map.requiredRange(BUSY, START + ms(999))).isEqualTo(behindWhatWasTaken);
    assertThat(map.requiredRange(BUSY, START + ms(1_000))).isEqualTo(Range.whole(BUSY));

    map.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    assertThat(map.requiredRange(BUSY, START + 1)).isEqualTo(behindWhatWasTaken);
    map.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), false));
    assertThat(map.requiredRange(BUSY, START + 1)).isEqualTo(Range.whole(BUSY));
  }

  @Test
  void sourceIsQuietUntilItsNextTaskIsDue() {
    see(STRAGGLER, START, HOUR + 400);
    assertThat(map.rangeOf(STRAGGLER, START + ms(399))).isEmpty();
    assertThat(map.rangeOf(STRAGGLER, START + ms(400))).isPresent();
    assertThat(map.nextLook(List.of(STRAGGLER), START)).isEqualTo(ms(400));
  }

  @Test
  void newsOfAnotherTableOrStageLeavesItQuiet() {
    see(STRAGGLER, START, HOUR + 400);
    map.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    map.on(new TasksWaiting(LARK, Set.of(OLD), Set.of("second"), true));
    assertThat(map.rangeOf(STRAGGLER, START + 1)).isEmpty();
  }

  @Test
  void newsOfItEndsTheQuiet() {
    for (TasksWaiting news :
        List.of(
            new TasksWaiting(LARK, Set.of(OLD), Set.of("first"), true),
            new TasksWaiting(LARK, Set.of(), Set.of(), true),
            new TasksWaiting(LARK))) {
      see(STRAGGLER, START, HOUR + 400);
      map.on(news);
      assertThat(map.rangeOf(STRAGGLER, START + 1)).isPresent();
      assertThat(map.nextLook(List.of(STRAGGLER), START + 1)).isZero();
    }
  }

  @Test
  void newsDuringALookIsNotForgottenByIt() {
    long before = map.newsCount();
    map.on(new TasksWaiting(LARK, Set.of(OLD), Set.of("first"), true));
    map.saw(Range.whole(STRAGGLER), List.of(), before, START);
    assertThat(map.rangeOf(STRAGGLER, START + 1)).isPresent();
  }

  @Test
  void claimsBeginAShortWayBeforeTheHeadThatWasSeen() {
    see(BUSY, START, HOUR - 60_000, HOUR - 50_000);
    assertThat(map.rangeOf(BUSY, START + 1)).contains(new Range(BUSY, HOUR - 60_250));
  }

  @Test
  void aHeadThatIsFarAheadHidesNothingThatIsCreatedMeanwhile() {
    see(BUSY, START, HOUR + 60_000);
    map.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    assertThat(map.rangeOf(BUSY, START + 1)).contains(new Range(BUSY, HOUR - 250));
  }

  @Test
  void onceASecondASourceInWhichClaimsGoOnIsScanned() {
    see(BUSY, START, HOUR - 60_000);
    long later = START + ms(600);
    map.saw(new Range(BUSY, HOUR - 60_250), List.of(head(BUSY, HOUR - 1_000)), 0, later);
    Range bounded = new Range(BUSY, HOUR - 1_250);
    assertThat(map.rangeOf(BUSY, later)).contains(bounded);
    map.claimedFrom(BUSY, later);
    assertThat(map.busyToScan()).isEmpty();

    long aSecondLater = START + ms(1_000);
    map.claimedFrom(BUSY, aSecondLater);
    assertThat(map.busyToScan()).containsExactly(BUSY);
    assertThat(map.rangeOf(BUSY, START + ms(5_000))).as("however long").contains(bounded);

    see(BUSY, aSecondLater, HOUR - 90_000); // something came by SQL
    map.scanned(BUSY);
    assertThat(map.rangeOf(BUSY, START + ms(1_500))).contains(new Range(BUSY, HOUR - 90_250));
    map.claimedFrom(BUSY, START + ms(1_500));
    assertThat(map.busyToScan()).isEmpty();
  }

  @Test
  void whatAScanBesideAClaimHasFoundIsNotForgottenByThatClaim() {
    see(BUSY, START, HOUR - 60_000);
    long claim = START + ms(1_000);
    map.claimedFrom(BUSY, claim);
    see(BUSY, claim + 1, HOUR - 90_000);
    map.scanned(BUSY);
    Range claimed = new Range(BUSY, HOUR - 60_250);
    map.saw(claimed, List.of(head(BUSY, HOUR - 50_000)), map.newsCount(), claim);
    assertThat(map.rangeOf(BUSY, claim + 2)).contains(new Range(BUSY, HOUR - 90_250));
  }

  @Test
  void whatALookHasFoundIsNotForgottenByAnEarlierOneThatWasSlower() {
    see(BUSY, START + 1, HOUR - 60_000);
    see(BUSY, START);
    assertThat(map.isBusy(BUSY)).isTrue();
  }

  @Test
  void newsOfSomethingDueEarlierIsNotForgottenByOtherNewsOrForTheScan() {
    see(BUSY, START, HOUR - 60_000);
    long now = START + ms(1_000);
    map.claimedFrom(BUSY, now);
    map.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), false));
    map.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    assertThat(map.rangeOf(BUSY, now)).contains(Range.whole(BUSY));
    assertThat(map.isBusy(BUSY)).isFalse();
    map.scanned(BUSY); // it began before the news
    assertThat(map.rangeOf(BUSY, now)).contains(Range.whole(BUSY));
    see(BUSY, now, HOUR - 90_000);
    assertThat(map.rangeOf(BUSY, now)).contains(new Range(BUSY, HOUR - 90_250));
  }

  @Test
  void whoeverClaimsAfterAPauseLooksAtTheWholeHimself() {
    see(BUSY, START, HOUR - 60_000);
    assertThat(map.rangeOf(BUSY, START + ms(2_000))).contains(Range.whole(BUSY));
    map.claimedFrom(BUSY, START + ms(2_000));
    assertThat(map.busyToScan()).isEmpty();
  }

  @Test
  void sourceWhoseScansFailIsReadFromItsBeginningByAClaim() {
    see(BUSY, START, HOUR - 60_000);
    Range bounded = new Range(BUSY, HOUR - 60_250);
    map.claimedFrom(BUSY, START + ms(1_000));
    map.scanned(BUSY);
    assertThat(map.rangeOf(BUSY, START + ms(1_999))).contains(bounded);
    assertThat(map.rangeOf(BUSY, START + ms(2_000))).contains(Range.whole(BUSY));

    map.claimedFrom(BUSY, START + ms(1_999));
    assertThat(map.busyToScan()).containsExactly(BUSY);
    assertThat(map.rangeOf(BUSY, START + ms(9_999))).as("a slow scan").contains(bounded);
    assertThat(map.rangeOf(BUSY, START + ms(10_000))).contains(Range.whole(BUSY));
  }

  @Test
  void scanOfWhichNothingIsBelievedIsNoReadFromTheBeginning() {
    see(BUSY, START, HOUR - 60_000);
    map.claimedFrom(BUSY, START + ms(1_000));
    long before = map.newsCount();
    map.on(new TasksWaiting(LARK, Set.of(OLD), Set.of("other"), false));
    map.saw(Range.whole(BUSY), List.of(head(BUSY, HOUR - 90_000)), before, START + ms(1_000));
    map.scanned(BUSY);
    assertThat(map.rangeOf(BUSY, START + ms(2_000))).contains(Range.whole(BUSY));
  }

  @Test
  void newsOfSomethingDueEarlierMakesForAWholeLook() {
    see(BUSY, START, HOUR - 60_000);
    map.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), false));
    assertThat(map.rangeOf(BUSY, START + 1)).contains(Range.whole(BUSY));
  }

  @Test
  void sourceIsBusyFromALookOrNewsUntilAllIsTaken() {
    see(BUSY, START, HOUR - 60_000);
    assertThat(map.isBusy(BUSY)).isTrue();
    map.exhausted(Range.whole(BUSY));
    assertThat(map.isBusy(BUSY)).isFalse();
    assertThat(map.rangeOf(BUSY, START + 1)).isPresent();
    map.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    assertThat(map.isBusy(BUSY)).isTrue();
  }

  private void see(Source source, long at, long... orderTimes) {
    List<Head> heads =
        java.util.Arrays.stream(orderTimes).mapToObj(time -> head(source, time)).toList();
    map.saw(Range.whole(source), heads, map.newsCount(), at);
  }

  private static Head head(Source source, long orderTime) {
    return new Head(source, 7, orderTime, HOUR);
  }

  private static long ms(long ms) {
    return TimeUnit.MILLISECONDS.toNanos(ms);
  }
}
