package io.asyncflow.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;

class WorkerPageTest {

  private final SampleApi api = new SampleApi();

  private Document page() throws Exception {
    return Jsoup.parse(new SamplePages(api).html("/worker?id=gpu-1", Language.EN));
  }

  @Test
  void whatItExecutesAndHeldLastIsFoundThere() throws Exception {
    assertThat(page().select("#running tbody th a").eachAttr("href"))
        .hasSize(3)
        .contains("/console/tasks/" + SampleApi.TASK);
    assertThat(page().select("section p.links a").eachAttr("href"))
        .containsExactly(
            "/console/tasks?q=worker%3Agpu-1", "/console/tasks?q=worker%3Agpu-1%20status%3Afailed");

    api.empty(true);
    assertThat(page().select("#running").text()).isEqualTo("Nothing at the moment.");
  }

  @Test
  void whatItWithholdsAndHasLoadedIsShown() throws Exception {
    assertThat(page().select("#details section:has(h2:contains(Withheld)) .pairs").text())
        .isEqualTo("tts/train gpu, disk");
    assertThat(page().select("#details section:has(h2:contains(Models of)) .pairs").text())
        .isEqualTo("tts/synthesize kokoro");
    assertThat(page().select("#details section:has(h2:contains(Loaded models)) .tags").text())
        .isEqualTo("kokoro");
    assertThat(page().select("#details section:has(h2:contains(not begun)) a").eachAttr("href"))
        .containsExactly("/console/tasks/" + SampleApi.TASK);
  }

  @Test
  void recordOfItsActsIsAClickAwayForThoseWhoMayReadIt() throws Exception {
    String link = "a[href=/console/audit?object=worker%3Agpu-1]";
    assertThat(page().select(link)).hasSize(1);
    api.withVerbs("WORKER_READ");
    assertThat(page().select(link)).isEmpty();
  }

  @Test
  void thoseWhoMayNotReadTasksSeeNone() throws Exception {
    api.withVerbs("WORKER_READ");
    assertThat(page().select("#running, p.links")).isEmpty();
  }
}
