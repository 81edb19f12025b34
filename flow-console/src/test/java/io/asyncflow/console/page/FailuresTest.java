package io.asyncflow.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.stats.FailureGroup;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;

class FailuresTest {

  private final SampleApi api = new SampleApi();
  private final SamplePages pages = new SamplePages(api);

  private Document open(String address) throws Exception {
    return Jsoup.parse(pages.html(address, Language.EN));
  }

  @Test
  void groupTellsWhatFailedWhereAndHowOften() throws Exception {
    Element row = open("/failures").selectFirst("tbody tr");

    assertThat(row.select("th").text()).isEqualTo("no tape in drive 3");
    assertThat(row.select("td").eachText())
        .startsWith("Retry", "tts/synthesize", "1,184", "3")
        .endsWith("Search Example Retry failed");
    assertThat(row.select(".spark")).hasSize(1);
  }

  @Test
  void failuresThatWereNotToldApartAreOneRow() throws Exception {
    assertThat(open("/failures").select("tr[data-key=tts-0000000000000000]").text())
        .contains("Others, not told apart")
        .doesNotContain("Search");
  }

  @Test
  void countsAreLowerBoundsIfNotAllWereRead() throws Exception {
    api.withRows(40);
    Document page = open("/failures");

    assertThat(page.select("td[data-l=Attempts] [aria-hidden]").first().text())
        .isEqualTo("≥ 1,184");
    assertThat(page.select("a[rel=next]").attr("href")).isEqualTo("/console/failures?cursor=next");
  }

  @Test
  void filterIsInTheAddressesOfThePage() throws Exception {
    Document page = open("/failures?type=tts&stage=a%20b&verdict=POISON&span=all");

    assertThat(page.select(".tabs a[aria-current]").text()).isEqualTo("Poison");
    assertThat(page.select(".tabs a").first().attr("href"))
        .isEqualTo("/console/failures?type=tts&stage=a%20b&span=all");
    assertThat(page.select(".facets a[aria-current]").text()).isEqualTo("All that is kept");
    assertThat(page.select("input[name=stage]").attr("value")).isEqualTo("a b");
  }

  @Test
  void emptyPageSaysOfWhichTime() throws Exception {
    api.empty(true);

    assertThat(open("/failures").select(".empty strong").text())
        .isEqualTo("Nothing failed in the last 1 d.");
    assertThat(open("/failures?span=all").select(".empty strong").text())
        .isEqualTo("Nothing failed in the last 14 d.");
  }

  @Test
  void filterIsToBeLoosenedOnlyWhereItIs() throws Exception {
    api.empty(true);

    assertThat(open("/failures").select(".empty").text()).doesNotContain("Loosen");
    assertThat(open("/failures?type=tts").select(".empty").text()).contains("Loosen it.");
  }

  @Test
  void groupWithFinalFailuresLeadsToABulkThatRetriesThem() throws Exception {
    assertThat(open("/failures").selectFirst("tbody tr").select("a:contains(Retry)").attr("href"))
        .isEqualTo(
            "/console/bulk/new?q=type%3Atts%20stage%3Asynthesize%20status%3Afailed&act=RETRY");
  }

  @Test
  void searchFindsWhatTheGroupMayHaveBeen() {
    assertThat(TaskWords.ofGroup(group("merge", "RETRY", 3)))
        .isEqualTo("type:tts stage:merge status:failed");
    assertThat(TaskWords.ofGroup(group("merge", "TIMED_OUT", 0)))
        .isEqualTo("type:tts stage:merge retries>0");
    assertThat(TaskWords.ofGroup(group("merge", "WORKER_LOST", 0)))
        .isEqualTo("type:tts stage:merge");
    assertThat(TaskWords.ofGroup(group("a \"b\\c\", d:e", "FAIL", 1)))
        .isEqualTo("type:tts stage:\"a \\\"b\\\\c\\\", d:e\" status:failed");
  }

  private static FailureGroup group(String stage, String verdict, long finals) {
    return new FailureGroup(
        "9f3c0a1b2c3d4e5f", "tts", stage, verdict, 9, finals, 1, 2, "", null, List.of());
  }
}
