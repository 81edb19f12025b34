package io.asyncflow.flowsvr.lease;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.lease.ClaimStore.Head;
import io.asyncflow.flowsvr.lease.ClaimStore.Range;
import io.asyncflow.flowsvr.lease.ClaimStore.Source;
import io.asyncflow.flowsvr.lease.ClaimStore.Sources;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskType;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is remembered of looks; the database's clock stands at an hour, ours at whatever. */
class DueHintsTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final TaskTable OLD = new TaskTable(LARK, 1);
  private static final TaskTable NEW = new TaskTable(LARK, 2);
  private static final Source STRAGGLER = new Source(OLD, "first");
  private static final List<TaskTable> LIVE = List.of(OLD, NEW);
  private static final Source BEGINNING = new Source(OLD, "");
  private static final Source BUSY = new Source(NEW, "first");
  private static final long HOUR = 3_600_000;
  private static final long START = Long.MAX_VALUE - 5; // a clock that is about to wrap around

  private final DueHints hints = new DueHints();

  @Test
  void whatNobodyHasSeenIsLookedAtFromItsBeginning() {
    assertThat(hints.rangeOf(STRAGGLER, START)).contains(Range.whole(STRAGGLER));
    assertThat(hints.nextLook(List.of(OLD), Set.of("first"), START)).isZero();
  }

  @Test
  void sourceInWhichNothingWaitsIsQuietForASecond() {
    see(STRAGGLER, START);
    assertThat(hints.rangeOf(STRAGGLER, START + ms(999))).isEmpty();
    assertThat(hints.rangeOf(STRAGGLER, START + ms(1_000))).contains(Range.whole(STRAGGLER));
    assertThat(hints.nextLook(List.of(OLD), Set.of("first"), START + ms(300))).isEqualTo(ms(700));
  }

  @Test
  void onTheOnlyServerItIsQuietForFiveSeconds() {
    hints.hearsEverything(true);
    see(STRAGGLER, START);
    assertThat(hints.rangeOf(STRAGGLER, START + ms(4_999))).isEmpty();
    assertThat(hints.nextLook(List.of(OLD), Set.of("first"), START)).isEqualTo(ms(5_000));
    assertThat(hints.rangeOf(STRAGGLER, START + ms(5_000))).contains(Range.whole(STRAGGLER));
  }

  @Test
  void whatOnlyALookAtAPartSawIsNotTrustedLonger() {
    hints.hearsEverything(true);
    see(BUSY, START, HOUR - 60_000);
    hints.saw(new Range(BUSY, HOUR - 60_250), List.of(), 0, START + ms(400));
    assertThat(hints.nextLook(List.of(NEW), Set.of("first"), START + ms(400))).isEqualTo(ms(600));
    assertThat(hints.rangeOf(BUSY, START + ms(1_000))).contains(Range.whole(BUSY));
  }

  @Test
  void newsEndsTheLongQuietToo() {
    hints.hearsEverything(true);
    see(STRAGGLER, START);
    hints.on(new TasksWaiting(LARK, Set.of(OLD), Set.of("first"), true));
    assertThat(hints.rangeOf(STRAGGLER, START + ms(3_000))).contains(Range.whole(STRAGGLER));
  }

  @Test
  void quietSourceThatIsLookedAtInAnyCaseIsNotLookedAtFromItsBeginningForASecond() {
    assertThat(hints.rangeInAnyCase(BUSY, START)).isEqualTo(Range.whole(BUSY));
    hints.hearsEverything(true);
    see(BUSY, START, HOUR + 60_000); // quiet for five seconds
    Range behindWhatWasTaken = new Range(BUSY, HOUR - 250);
    assertThat(hints.rangeInAnyCase(BUSY, START + ms(999))).isEqualTo(behindWhatWasTaken);
    assertThat(hints.rangeInAnyCase(BUSY, START + ms(1_000))).isEqualTo(Range.whole(BUSY));

    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    assertThat(hints.rangeInAnyCase(BUSY, START + 1)).isEqualTo(behindWhatWasTaken);
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), false));
    assertThat(hints.rangeInAnyCase(BUSY, START + 1)).isEqualTo(Range.whole(BUSY));
  }

  @Test
  void sourceIsQuietUntilItsNextTaskIsDue() {
    see(STRAGGLER, START, HOUR + 400);
    assertThat(hints.rangeOf(STRAGGLER, START + ms(399))).isEmpty();
    assertThat(hints.rangeOf(STRAGGLER, START + ms(400))).isPresent();
    assertThat(hints.nextLook(List.of(OLD), Set.of("first"), START)).isEqualTo(ms(400));
  }

  @Test
  void newsOfAnotherTableOrStageLeavesItQuiet() {
    see(STRAGGLER, START, HOUR + 400);
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    hints.on(new TasksWaiting(LARK, Set.of(OLD), Set.of("second"), true));
    assertThat(hints.rangeOf(STRAGGLER, START + 1)).isEmpty();
  }

  @Test
  void newsOfItEndsTheQuiet() {
    for (TasksWaiting news :
        List.of(
            new TasksWaiting(LARK, Set.of(OLD), Set.of("first"), true),
            new TasksWaiting(LARK, Set.of(), Set.of(), true),
            new TasksWaiting(LARK))) {
      see(STRAGGLER, START, HOUR + 400);
      hints.on(news);
      assertThat(hints.rangeOf(STRAGGLER, START + 1)).isPresent();
      assertThat(hints.nextLook(List.of(OLD), Set.of("first"), START + 1)).isZero();
    }
  }

  @Test
  void newsDuringALookIsNotForgottenByIt() {
    long before = hints.newsCount();
    hints.on(new TasksWaiting(LARK, Set.of(OLD), Set.of("first"), true));
    hints.saw(Range.whole(STRAGGLER), List.of(), before, START);
    assertThat(hints.rangeOf(STRAGGLER, START + 1)).isPresent();
  }

  @Test
  void claimsBeginAShortWayBeforeTheHeadThatWasSeen() {
    see(BUSY, START, HOUR - 60_000, HOUR - 50_000);
    assertThat(hints.rangeOf(BUSY, START + 1)).contains(new Range(BUSY, HOUR - 60_250));
  }

  @Test
  void aHeadThatIsFarAheadHidesNothingThatIsCreatedMeanwhile() {
    see(BUSY, START, HOUR + 60_000);
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    assertThat(hints.rangeOf(BUSY, START + 1)).contains(new Range(BUSY, HOUR - 250));
  }

  @Test
  void onceASecondTheWholeRangeIsLookedAtBesideTheClaims() {
    see(BUSY, START, HOUR - 60_000);
    long later = START + ms(600);
    hints.saw(new Range(BUSY, HOUR - 60_250), List.of(head(BUSY, HOUR - 1_000)), 0, later);
    Range bounded = new Range(BUSY, HOUR - 1_250);
    assertThat(hints.rangeOf(BUSY, later)).contains(bounded);
    assertThat(hints.wantsLookBeside(BUSY, later)).isFalse();

    long aSecondLater = START + ms(1_000);
    assertThat(hints.wantsLookBeside(BUSY, aSecondLater)).isTrue();
    assertThat(hints.wantsLookBeside(BUSY, aSecondLater)).as("while it is made").isFalse();
    assertThat(hints.rangeOf(BUSY, START + ms(5_000))).as("however long").contains(bounded);

    see(BUSY, aSecondLater, HOUR - 90_000); // something came by SQL
    hints.lookedBeside(BUSY, aSecondLater);
    assertThat(hints.rangeOf(BUSY, START + ms(1_500))).contains(new Range(BUSY, HOUR - 90_250));
    assertThat(hints.wantsLookBeside(BUSY, START + ms(1_500))).isFalse();
  }

  @Test
  void whatALookBesideAClaimHasFoundIsNotForgottenByThatClaim() {
    see(BUSY, START, HOUR - 60_000);
    long claim = START + ms(1_000);
    assertThat(hints.wantsLookBeside(BUSY, claim)).isTrue();
    see(BUSY, claim + 1, HOUR - 90_000);
    hints.lookedBeside(BUSY, claim + 1);
    Range claimed = new Range(BUSY, HOUR - 60_250);
    hints.saw(claimed, List.of(head(BUSY, HOUR - 50_000)), hints.newsCount(), claim);
    assertThat(hints.rangeOf(BUSY, claim + 2)).contains(new Range(BUSY, HOUR - 90_250));
  }

  @Test
  void whatALookHasFoundIsNotForgottenByAnEarlierOneThatWasSlower() {
    see(BUSY, START + 1, HOUR - 60_000);
    see(BUSY, START);
    assertThat(hints.isBusy(BUSY)).isTrue();
  }

  @Test
  void newsOfSomethingDueEarlierIsNotForgottenByOtherNewsOrForALookBeside() {
    see(BUSY, START, HOUR - 60_000);
    long now = START + ms(1_000);
    assertThat(hints.wantsLookBeside(BUSY, now)).isTrue();
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), false));
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    assertThat(hints.rangeOf(BUSY, now)).contains(Range.whole(BUSY));
    assertThat(hints.isBusy(BUSY)).isFalse();
    hints.lookedBeside(BUSY, now); // it began before the news
    assertThat(hints.rangeOf(BUSY, now)).contains(Range.whole(BUSY));
    see(BUSY, now, HOUR - 90_000);
    assertThat(hints.rangeOf(BUSY, now)).contains(new Range(BUSY, HOUR - 90_250));
  }

  @Test
  void whoeverClaimsAfterAPauseLooksAtTheWholeHimself() {
    see(BUSY, START, HOUR - 60_000);
    assertThat(hints.rangeOf(BUSY, START + ms(2_000))).contains(Range.whole(BUSY));
    assertThat(hints.wantsLookBeside(BUSY, START + ms(2_000))).isFalse();
  }

  @Test
  void aLookBesideThatFailedIsTriedAgainASecondLater() {
    see(BUSY, START, HOUR - 60_000);
    assertThat(hints.wantsLookBeside(BUSY, START + ms(1_000))).isTrue();
    hints.lookedBeside(BUSY, START + ms(1_000));
    assertThat(hints.rangeOf(BUSY, START + ms(1_999))).contains(new Range(BUSY, HOUR - 60_250));
    assertThat(hints.wantsLookBeside(BUSY, START + ms(1_999))).isFalse();
    assertThat(hints.wantsLookBeside(BUSY, START + ms(2_000))).isTrue();
  }

  @Test
  void newsOfSomethingDueEarlierMakesForAWholeLook() {
    see(BUSY, START, HOUR - 60_000);
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), false));
    assertThat(hints.rangeOf(BUSY, START + 1)).contains(Range.whole(BUSY));
  }

  @Test
  void sourceIsBusyFromALookOrNewsUntilAllIsTaken() {
    see(BUSY, START, HOUR - 60_000);
    assertThat(hints.isBusy(BUSY)).isTrue();
    hints.exhausted(Range.whole(BUSY));
    assertThat(hints.isBusy(BUSY)).isFalse();
    assertThat(hints.rangeOf(BUSY, START + 1)).isPresent();
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    assertThat(hints.isBusy(BUSY)).isTrue();
  }

  @Test
  void stagesAreKnownForASecondAndNewOnesAreAddedByNews() {
    assertThat(hints.stagesOf(NEW, START)).isEmpty();
    hints.sawStages(NEW, List.of("first"), hints.newsCount(), START);
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("second"), true));
    assertThat(hints.stagesOf(NEW, START + 1)).contains(Set.of("first", "second"));
    assertThat(hints.stagesOf(NEW, START + ms(1_000))).isEmpty();

    hints.on(new TasksWaiting(LARK));
    assertThat(hints.stagesOf(NEW, START + 1)).isEmpty();
  }

  @Test
  void looksAtSomeOfTooManySourcesGoOnWhereTheLastOneStopped() {
    assertThat(hints.goOnBehind()).isEmpty();
    assertThat(hints.lookedUpTo(STRAGGLER, false)).isTrue();
    assertThat(hints.goOnBehind()).contains(STRAGGLER);
    assertThat(hints.lookedUpTo(null, false)).as("and nothing was due").isFalse();
    assertThat(hints.goOnBehind()).isEmpty();
  }

  @Test
  void turnThatHasSeenSomethingDueIsFollowedByAnother() {
    hints.lookedUpTo(STRAGGLER, true);
    hints.lookedUpTo(BUSY, false);
    assertThat(hints.lookedUpTo(null, false)).as("some of it may be left").isTrue();
    assertThat(hints.lookedUpTo(STRAGGLER, false)).isTrue();
    assertThat(hints.lookedUpTo(null, false)).isFalse();
    assertThat(hints.lookedUpTo(null, true)).isTrue();
  }

  @Test
  void whatComesDuringTurnsIsLookedAtOnceBeforeItsTurn() {
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    assertThat(hints.takeNew(BEGINNING)).as("there are no turns").isEmpty();
    hints.lookedUpTo(STRAGGLER, false);
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    assertThat(hints.takeNew(BEGINNING)).containsExactly(BUSY);
    assertThat(hints.takeNew(BEGINNING)).isEmpty();
  }

  @Test
  void sourcesOfTheLooksOfATurnAreKnownForASecond() {
    assertThat(hints.partBehind(BEGINNING, LIVE, START)).isEmpty();
    see(BEGINNING, new Sources(List.of(STRAGGLER), STRAGGLER));
    see(STRAGGLER, new Sources(List.of(BUSY), null));
    assertThat(hints.partBehind(BEGINNING, LIVE, START + ms(999)))
        .contains(new Sources(List.of(STRAGGLER), STRAGGLER));
    assertThat(hints.partBehind(STRAGGLER, LIVE, START + ms(999)))
        .contains(new Sources(List.of(BUSY), null));
    assertThat(hints.partBehind(STRAGGLER, LIVE, START + ms(1_000))).isEmpty();
  }

  @Test
  void sourcesOfLooksAreForgottenWhenThereAreOtherTables() {
    see(BEGINNING, new Sources(List.of(STRAGGLER), STRAGGLER));
    assertThat(hints.partBehind(BEGINNING, List.of(OLD), START)).isEmpty();
  }

  @Test
  void whatComesDuringTurnsHasATurnOfItsOwnFromThenOn() {
    Source fresh = new Source(NEW, "fresh");
    see(BEGINNING, new Sources(List.of(STRAGGLER), STRAGGLER));
    see(STRAGGLER, new Sources(List.of(BUSY), null));
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first", "fresh"), true));
    assertThat(hints.takeNew(BEGINNING)).containsExactlyInAnyOrder(BUSY, fresh);
    assertThat(hints.partBehind(BEGINNING, LIVE, START).orElseThrow().sources())
        .as("the other one has a turn already")
        .containsExactly(STRAGGLER, fresh);
    assertThat(hints.partBehind(STRAGGLER, LIVE, START).orElseThrow().sources())
        .containsExactly(BUSY);
  }

  @Test
  void whereSourcesMayHaveComeThatNoTurnHasTheyAreLookedUp() {
    Set<String> many = IntStream.range(0, 51).mapToObj(i -> "s" + i).collect(toSet());
    for (TasksWaiting news :
        List.of(
            new TasksWaiting(LARK),
            new TasksWaiting(LARK, Set.of(), Set.of("first"), true),
            new TasksWaiting(LARK, Set.of(NEW), many, true))) {
      see(BEGINNING, new Sources(List.of(STRAGGLER), STRAGGLER));
      long before = hints.newsCount();
      hints.on(news);
      assertThat(hints.partBehind(BEGINNING, LIVE, START)).as("%s", news).isEmpty();
      hints.sawPart(BEGINNING, new Sources(List.of(STRAGGLER), null), LIVE, before, START);
      assertThat(hints.partBehind(BEGINNING, LIVE, START)).as("looked up before").isEmpty();
    }
  }

  @Test
  void newsBeforeTheFirstTurnIsNotForgotten() {
    long before = hints.newsCount();
    hints.on(new TasksWaiting(LARK, Set.of(NEW), Set.of("first"), true));
    hints.sawPart(BEGINNING, new Sources(List.of(STRAGGLER), STRAGGLER), LIVE, before, START);
    assertThat(hints.partBehind(BEGINNING, LIVE, START)).isEmpty();
  }

  /** A look of a turn has looked up its sources. */
  private void see(Source began, Sources part) {
    hints.sawPart(began, part, LIVE, hints.newsCount(), START);
    hints.lookedUpTo(part.last(), false);
  }

  @Test
  void newsOfVeryManyStagesIsNotRemembered() {
    Set<String> names = IntStream.range(0, 500).mapToObj(i -> "s" + i).collect(toSet());
    hints.sawStages(NEW, List.of("first"), hints.newsCount(), START);
    hints.lookedUpTo(STRAGGLER, false);
    hints.on(new TasksWaiting(LARK, Set.of(NEW), names, true));
    assertThat(hints.stagesOf(NEW, START + 1)).as("has to be looked up").isEmpty();
    assertThat(hints.takeNew(BEGINNING)).hasSize(50);
  }

  private void see(Source source, long at, long... orderTimes) {
    List<Head> heads =
        java.util.Arrays.stream(orderTimes).mapToObj(time -> head(source, time)).toList();
    hints.saw(Range.whole(source), heads, hints.newsCount(), at);
  }

  private static Head head(Source source, long orderTime) {
    return new Head(source, 7, orderTime, HOUR);
  }

  private static long ms(long ms) {
    return TimeUnit.MILLISECONDS.toNanos(ms);
  }
}
