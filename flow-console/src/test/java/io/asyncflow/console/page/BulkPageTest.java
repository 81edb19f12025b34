package io.asyncflow.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.page.bulk.BulkViews;
import io.asyncflow.console.text.Language;
import java.util.List;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;

class BulkPageTest {

  private static final int CAP = 10_000;

  private final SampleApi api = new SampleApi();
  private final SamplePages pages = new SamplePages(api);

  private String notice(int count, String kind) throws Exception {
    api.withPreview("RETRY", count, kind);
    return Jsoup.parse(pages.preview(Language.EN)).select("section > .notice").text();
  }

  @Test
  void previewSaysWhenTheBulkEndsAtItsCap() throws Exception {
    assertThat(notice(CAP, "EXACT")).isEmpty();
    assertThat(notice(CAP + 1, "EXACT")).startsWith("It will end after 10,000 tasks");
    assertThat(notice(12_000, "AT_LEAST")).startsWith("It will end after 10,000 tasks");
    for (int counted : new int[] {4_000, CAP}) { // it counts so far, and then no further
      assertThat(notice(counted, "AT_LEAST"))
          .startsWith("More tasks may match than were counted. It will end after 10,000 tasks");
    }
  }

  @Test
  void addressOfAPreviewHasItsSearchWhichTheLogInLeadsBackTo() throws Exception {
    assertThat(
            Jsoup.parse(pages.preview(Language.EN))
                .select("[data-opened-by]")
                .attr("data-opened-by"))
        .isEqualTo("/console/bulk/new?q=type%3Atts&act=RETRY");
  }

  @Test
  void whoMayDoMoreAtOnceIsToldToThoseWhoMayNot() throws Exception {
    assertThat(notice(12_000, "AT_LEAST")).doesNotContain("administrator");
    api.withRole("OPERATOR");
    assertThat(notice(12_000, "AT_LEAST")).endsWith(". An administrator may do more at once.");
    assertThat(Jsoup.parse(pages.preview(Language.ZH)).select("section > .notice").text())
        .endsWith("。管理员一次可处理更多。");
  }

  private static Bulk bulk(BulkState state, BoundedCount count, int done, int skipped) {
    return new Bulk(
        SampleApi.BULK,
        state,
        BulkAct.RETRY,
        null,
        Map.of(),
        count,
        CAP,
        done + skipped,
        done,
        skipped,
        0,
        List.of(),
        null,
        "key:3Qm81LtzGh",
        "",
        "",
        1,
        2L,
        3,
        null,
        null,
        null);
  }

  private static Integer percent(BoundedCount count, int done, int skipped) {
    return Bar.of(bulk(BulkState.RUNNING, count, done, skipped)).percent();
  }

  @Test
  void barIsAsFarAsTheFirstOfItsEnds() {
    assertThat(percent(BoundedCount.exactly(2_000), 400, 100)).isEqualTo(25);
    assertThat(percent(BoundedCount.exactly(50_000), 5_000, 5_000)).isEqualTo(50);
    assertThat(percent(BoundedCount.atLeast(CAP), 2_500, 40_000)).isEqualTo(25);
  }

  @Test
  void barOfWhatWasNotCountedToTheEndHasNoPercentUntilItEnds() {
    BoundedCount counted = BoundedCount.atLeast(4_000);
    for (int done : new int[] {0, 3_999, 4_000, 9_000}) {
      assertThat(percent(counted, done, 0)).isNull();
    }
    Bar open = Bar.of(bulk(BulkState.RUNNING, counted, 4_000, 0));
    assertThat(open.pieces()).extracting(Bar.Piece::width).containsExactly(400);
    assertThat(Bar.of(bulk(BulkState.DONE, counted, 4_321, 0)).percent()).isEqualTo(100);
    assertThat(Bar.of(bulk(BulkState.DONE, counted, 0, 0)).percent()).isEqualTo(100);
  }

  @Test
  void piecesNeverReachBeyondTheBar() {
    for (BoundedCount count :
        List.of(BoundedCount.exactly(10), BoundedCount.exactly(20_000), BoundedCount.atLeast(3))) {
      for (BulkState state : BulkState.values()) {
        for (int done : new int[] {0, 1, 9_999, CAP}) {
          for (int skipped : new int[] {0, 1, 1_000_000}) {
            assertThat(Bar.of(bulk(state, count, done, skipped)).pieces())
                .allMatch(piece -> piece.width() > 0 && piece.from() + piece.width() <= Bar.WIDTH);
          }
        }
      }
    }
  }

  @Test
  void barThatIsNotCountedToTheEndSaysHowManyItHas() throws Exception {
    Document list = Jsoup.parse(pages.html("/bulk", Language.EN));

    assertThat(list.select("#rows tr:eq(0) .bar").text()).isEqualTo("66 %");
    assertThat(list.select("#rows tr:eq(3) .bar").text()).isEqualTo("542 so far");
  }

  @Test
  void pageOfABulkSaysThatItHasEndedAtItsCap() throws Exception {
    api.withBulk(4);
    assertThat(
            Jsoup.parse(pages.html("/bulk/" + SampleApi.BULK, Language.EN))
                .select("p.notice")
                .text())
        .isEqualTo("It has ended at its cap of 500 tasks. A new preview finds the rest.");
    api.withBulk(0);
    assertThat(Jsoup.parse(pages.html("/bulk/" + SampleApi.BULK, Language.EN)).select("p.notice"))
        .isEmpty();
  }

  @Test
  void bulkHasLeftTasksAtItsCapOnlyIfThereWereMore() {
    BoundedCount more = BoundedCount.exactly(CAP + 1);
    assertThat(BulkViews.hasLeftTasks(bulk(BulkState.DONE, more, CAP, 0))).isTrue();
    assertThat(BulkViews.hasLeftTasks(bulk(BulkState.DONE, BoundedCount.atLeast(4_000), CAP, 0)))
        .isTrue();
    assertThat(BulkViews.hasLeftTasks(bulk(BulkState.DONE, BoundedCount.exactly(CAP), CAP, 0)))
        .isFalse();
    assertThat(BulkViews.hasLeftTasks(bulk(BulkState.DONE, more, CAP, 1)))
        .as("one was skipped, so all were handled")
        .isFalse();
    assertThat(BulkViews.hasLeftTasks(bulk(BulkState.DONE, more, CAP - 1, 2))).isFalse();
    assertThat(BulkViews.hasLeftTasks(bulk(BulkState.STOPPED, more, 500, 0))).isFalse();
  }
}
