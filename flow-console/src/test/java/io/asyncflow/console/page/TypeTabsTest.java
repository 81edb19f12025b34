package io.asyncflow.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.console.JsonOperator;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class TypeTabsTest {

  private final SampleApi api = new SampleApi();
  private final List<Map<String, ?>> series = new CopyOnWriteArrayList<>();
  private final SamplePages pages = new SamplePages(new Listening());
  private boolean refusesNumbers;
  private boolean hasNoFailures;

  private final class Listening extends JsonOperator {

    @Override
    public JsonNode call(String path, Map<String, ?> fields) {
      if (path.startsWith("/api/stats/") && refusesNumbers) {
        throw new FlowException(ErrorCode.OUT_OF_SCOPE, "not all users");
      }
      if (path.equals("/api/stats/series")) {
        series.add(fields);
      }
      if (path.equals("/api/stats/failures") && hasNoFailures) {
        return new SampleApi().empty(true).call(path, fields);
      }
      return api.call(path, fields);
    }

    @Override
    public void read(StoreKey key, HttpServletResponse to) throws IOException {
      api.read(key, to);
    }

    @Override
    public void readInput(String jobId, HttpServletResponse to) {
      throw new UnsupportedOperationException();
    }
  }

  private Document open(String address) throws Exception {
    return Jsoup.parse(pages.html(address, Language.EN));
  }

  @Test
  void stagesStandOnTheFirstTab() throws Exception {
    Document page = open("/types/tts");

    assertThat(page.select(".tabs a").eachText())
        .containsExactly("Now", "History", "Failures", "Tables", "Settings", "Acts");
    assertThat(page.select(".tabs a[aria-current]").text()).isEqualTo("Now");
    assertThat(page.select("tr[data-key=merge] td[data-l=Due] a").attr("href"))
        .isEqualTo("/console/tasks?q=type%3Atts%20stage%3Amerge%20status%3Awaiting");
    assertThat(page.select("tr[data-key=merge] td[data-l=Workers]").text()).isEqualTo("0");
    assertThat(page.select("tr[data-key=merge] a[href=/console/tasks/" + SampleApi.TASK + "]"))
        .hasSize(1);
  }

  @Test
  void numbersThatCouldNotAllBeReadAreSaidToBeLowerBounds() throws Exception {
    assertThat(open("/types/tts").select("#cut").text()).isEmpty();
    assertThat(open("/types/tts?tab=history").select("#cut").text()).isEmpty();
    api.withRows(100);

    Document now = open("/types/tts");
    assertThat(now.select("#cut").text()).contains("lower bounds");
    assertThat(now.select("tr[data-key=merge] td[data-l=Failed] [aria-hidden]").text())
        .isEqualTo("≥ 0");
    assertThat(open("/types/tts?tab=history").select("#cut").text()).contains("lower bounds");
  }

  @Test
  void chartsSayTheirNumbersAsTables() throws Exception {
    Document page = open("/types/tts?tab=history");

    assertThat(page.select("figure")).hasSize(4);
    assertThat(page.select("figure svg[role=img] > desc")).hasSize(4);
    assertThat(page.select("figure details tbody"))
        .allMatch(body -> body.select("tr").size() == 60);
    assertThat(page.select("[data-key=flow] tbody tr:last-child td").eachText())
        .containsExactly("–", "–");
  }

  /** So that an open page asks the same within a step, and gets the same. */
  @Test
  void rangeBeginsAndEndsWithAStep() throws Exception {
    for (String range : List.of("1h", "6h", "24h", "14d", "")) {
      open("/types/tts?tab=history&range=" + range);
    }

    assertThat(series)
        .hasSize(5)
        .allSatisfy(
            asked -> {
              long from = (Long) asked.get("from");
              long to = (Long) asked.get("to");
              long step = (to - from) / (Integer) asked.get("points");
              assertThat(from % step).isZero();
              assertThat(to % step).isZero();
              assertThat(to).isBetween(SampleApi.NOW, SampleApi.NOW + step);
              assertThat(step % 60_000).isZero();
            });
  }

  @Test
  void chartsOfOneStageAreAskedForByItsName() throws Exception {
    open("/types/tts?tab=history&stage=merge");

    assertThat(series.get(0).get("taskStage")).isEqualTo("merge");
    assertThat(series.get(0).get("taskType")).isEqualTo(List.of("tts"));
  }

  @Test
  void operatorOfSomeUsersSeesWhyThereAreNoNumbers() throws Exception {
    refusesNumbers = true;

    for (String tab : List.of("now", "history", "failures")) {
      assertThat(open("/types/tts?tab=" + tab).select(".empty strong").text())
          .isEqualTo("These are numbers of all users");
    }
    assertThat(open("/types/tts?tab=settings").select("form.settings")).hasSize(1);
  }

  @Test
  void whoeverTunesATypeMayChangeTheSettingsThatTheCallTakes() throws Exception {
    String open = "form.settings input:not([type=hidden]):not([disabled])";
    api.withVerbs("TYPE_READ", "TYPE_TUNE");
    assertThat(open("/types/tts?tab=settings").select(open).eachAttr("name"))
        .containsExactly("max_executing", "rate_limit");
    assertThat(open("/types/tts?tab=settings").select("form.settings").text())
        .contains("TYPE_SAVE");

    api.withVerbs("TYPE_READ", "TYPE_SAVE");
    assertThat(open("/types/tts?tab=settings").select(open)).hasSize(17);
    assertThat(open("/types/tts?tab=settings").select("form.settings").text())
        .doesNotContain("TYPE_SAVE");

    api.withVerbs("TYPE_READ");
    assertThat(open("/types/tts?tab=settings").select(open + ", form.settings button")).isEmpty();
  }

  @Test
  void failuresOfATypeHaveNoFilterThatCouldBeLoosened() throws Exception {
    hasNoFailures = true;
    assertThat(open("/types/tts?tab=failures").select(".empty").text())
        .isEqualTo(
            "Nothing failed in the last 1 d. Failures that are alike are listed here together.");
  }

  @Test
  void operatorWithoutNumbersSeesTheTables() throws Exception {
    api.withVerbs("TYPE_READ");

    assertThat(open("/types/tts?tab=history").select(".tabs a").eachText())
        .containsExactly("Tables", "Settings");
  }
}
