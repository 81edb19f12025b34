package io.asyncflow.flowsvr.queue.due;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.queue.due.DueStore.Gap;
import io.asyncflow.flowsvr.queue.due.DueStore.Sources;
import io.asyncflow.flowsvr.queue.due.WaitingSources.Part;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What looks that name no stage read, one after another. */
class WaitingSourcesTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final TaskTable OLD = new TaskTable(LARK, 1);
  private static final TaskTable NEW = new TaskTable(LARK, 2);
  private static final List<TaskTable> LIVE = List.of(OLD, NEW);
  private static final Source BEGINNING = new Source(OLD, "");
  private static final Source STRAGGLER = new Source(OLD, "first");
  private static final Source BUSY = new Source(NEW, "first");
  private static final Source FRESH = new Source(NEW, "fresh");
  private static final long START = Long.MAX_VALUE - 5; // a clock that is about to wrap around

  private final WaitingSources waiting = new WaitingSources();

  @Test
  void sourcesAreKnownForASecondAndNewOnesAreAddedByNews() {
    assertThat(waiting.all(LIVE, START)).isEmpty();
    seeAll(BUSY);
    waiting.on(newsOf("fresh"));
    assertThat(sourcesAt(999)).containsExactly(BUSY, FRESH);
    assertThat(waiting.all(LIVE, START + ms(1_000))).isEmpty();

    seeAll(BUSY);
    waiting.on(new TasksWaiting(LARK));
    assertThat(waiting.all(LIVE, START + 1)).isEmpty();
  }

  @Test
  void onlyServerKnowsThemForFiveSeconds() {
    waiting.soleServer(true);
    seeAll(BUSY);
    assertThat(waiting.all(LIVE, START + ms(4_999))).isPresent();
    assertThat(waiting.all(LIVE, START + ms(5_000))).isEmpty();
  }

  @Test
  void newsWhileSourcesAreReadIsNotForgotten() {
    long before = waiting.timesForgotten();
    waiting.on(newsOf("fresh"));
    Part read = waiting.saw(BEGINNING, new Sources(List.of(BUSY), null), LIVE, before, START);
    assertThat(waiting.begin(read)).containsExactly(FRESH);
    assertThat(sourcesAt(0)).containsExactly(BUSY, FRESH);

    waiting.forget();
    Part late = waiting.saw(BEGINNING, new Sources(List.of(BUSY), null), LIVE, before, START);
    assertThat(late.sources()).containsExactly(BUSY);
    assertThat(waiting.all(LIVE, START)).as("read before").isEmpty();
  }

  @Test
  void slowReadDoesNotTakeAwayWhatNewsHasAdded() {
    long before = waiting.timesForgotten();
    seeAll(BUSY);
    waiting.on(newsOf("fresh"));
    waiting.saw(BEGINNING, new Sources(List.of(BUSY), null), LIVE, before, START);
    assertThat(sourcesAt(0)).containsExactly(BUSY, FRESH);
  }

  @Test
  void looksAtSomeOfTooManySourcesGoOnWhereTheLastOneStopped() {
    assertThat(waiting.position(LIVE)).isEqualTo(BEGINNING);
    waiting.goOnBehind(STRAGGLER);
    assertThat(waiting.position(LIVE)).isEqualTo(STRAGGLER);
    waiting.goOnBehind(null);
    assertThat(waiting.position(LIVE)).isEqualTo(BEGINNING);
  }

  @Test
  void whatComesDuringTurnsIsLookedAtOnceBeforeItsTurn() {
    Part first = see(BEGINNING, STRAGGLER, STRAGGLER);
    waiting.on(newsOf("first"));
    assertThat(waiting.begin(first)).containsExactly(BUSY);
    assertThat(waiting.begin(first)).isEmpty();
  }

  @Test
  void sourcesOfTheLooksOfATurnAreKnownForASecond() {
    assertThat(waiting.next(LIVE, START)).isEmpty();
    see(BEGINNING, STRAGGLER, STRAGGLER);
    see(STRAGGLER, null, BUSY);
    assertThat(waiting.next(LIVE, START + ms(999)).orElseThrow().sources())
        .containsExactly(STRAGGLER);
    assertThat(waiting.all(LIVE, START)).as("not all").isEmpty();
    waiting.goOnBehind(STRAGGLER);
    assertThat(waiting.next(LIVE, START + ms(999)).orElseThrow().sources()).containsExactly(BUSY);
    assertThat(waiting.next(LIVE, START + ms(1_000))).isEmpty();
  }

  @Test
  void sourcesOfLooksAreForgottenWhenThereAreOtherTables() {
    seeAll(STRAGGLER);
    assertThat(waiting.next(List.of(OLD), START)).isEmpty();
  }

  @Test
  void whatComesDuringTurnsHasATurnOfItsOwnFromThenOn() {
    Part first = see(BEGINNING, STRAGGLER, STRAGGLER);
    see(STRAGGLER, null, BUSY);
    waiting.on(newsOf("first", "fresh"));
    assertThat(waiting.begin(first)).containsExactlyInAnyOrder(BUSY, FRESH);
    assertThat(waiting.next(LIVE, START).orElseThrow().sources())
        .as("the other one has a turn already")
        .containsExactly(STRAGGLER, FRESH);
  }

  @Test
  void whereSourcesMayHaveComeThatNoTurnHasTheyAreLookedUp() {
    String[] many = IntStream.range(0, 51).mapToObj(i -> "s" + i).toArray(String[]::new);
    for (TasksWaiting news :
        List.of(
            new TasksWaiting(LARK),
            new TasksWaiting(LARK, Set.of(), Set.of("first"), true),
            newsOf(many))) {
      see(BEGINNING, STRAGGLER, STRAGGLER);
      waiting.goOnBehind(null);
      assertThat(waiting.next(LIVE, START)).isPresent();
      waiting.on(news);
      assertThat(waiting.next(LIVE, START)).as("%s", news).isEmpty();
    }
  }

  @Test
  void newsOfVeryManyStagesIsNotRemembered() {
    Set<String> names = IntStream.range(0, 500).mapToObj(i -> "s" + i).collect(toSet());
    seeAll(BUSY);
    waiting.on(new TasksWaiting(LARK, Set.of(NEW), names, true));
    assertThat(waiting.all(LIVE, START + 1)).as("has to be looked up").isEmpty();
  }

  @Test
  void sourcesAreKnownForAsLongAsTheScanFindsNoOtherOne() {
    seeAll(new Source(NEW, "b"), new Source(NEW, "a"));
    assertThat(waiting.gapsToScan(LIVE, ms(125), START + ms(124))).as("seen just now").isEmpty();
    List<Gap> gaps = waiting.gapsToScan(LIVE, ms(125), START + ms(125));
    assertThat(gaps)
        .containsExactly(
            new Gap(OLD, "", null),
            new Gap(NEW, "", "a"),
            new Gap(NEW, "a", "b"),
            new Gap(NEW, "b", null));

    waiting.scannedGaps(gaps, true, START + ms(500));
    assertThat(waiting.all(LIVE, START + ms(5_499))).isPresent();
    assertThat(waiting.all(LIVE, START + ms(5_500))).isEmpty();

    seeAll(BUSY);
    waiting.scannedGaps(gaps, false, START + ms(600));
    assertThat(waiting.all(LIVE, START)).as("there is another one").isEmpty();
    assertThat(waiting.gapsToScan(LIVE, 0, START)).isEmpty();
  }

  @Test
  void gapsAreInTheOrderOfTheDatabase() {
    String beyond = new String(Character.toChars(0x1F600)); // its first char is below U+FF01
    seeAll(
        Stream.of(beyond, "\uFF01", "A", "a")
            .map(stage -> new Source(NEW, stage))
            .toArray(Source[]::new));
    assertThat(waiting.gapsToScan(LIVE, 0, START))
        .filteredOn(gap -> gap.table().equals(NEW))
        .extracting(Gap::after)
        .containsExactly("", "A", "a", "\uFF01", beyond);
  }

  @Test
  void scanOfGapsThatMissedNewsDoesNotMakeTheSourcesKnownForLonger() {
    seeAll(BUSY);
    List<Gap> gaps = waiting.gapsToScan(LIVE, 0, START);
    waiting.on(newsOf("fresh"));
    waiting.scannedGaps(gaps, true, START + ms(500));
    assertThat(sourcesAt(999)).containsExactly(BUSY, FRESH);
    assertThat(waiting.all(LIVE, START + ms(1_000))).isEmpty();
  }

  private void seeAll(Source... sources) {
    waiting.forget();
    see(BEGINNING, null, sources);
  }

  private Part see(Source began, Source last, Source... sources) {
    Sources read = new Sources(List.of(sources), last);
    return waiting.saw(began, read, LIVE, waiting.timesForgotten(), START);
  }

  private Set<Source> sourcesAt(long ms) {
    return waiting.all(LIVE, START + ms(ms)).orElseThrow().sources();
  }

  private static TasksWaiting newsOf(String... stages) {
    return new TasksWaiting(LARK, Set.of(NEW), Set.of(stages), true);
  }

  private static long ms(long ms) {
    return TimeUnit.MILLISECONDS.toNanos(ms);
  }
}
