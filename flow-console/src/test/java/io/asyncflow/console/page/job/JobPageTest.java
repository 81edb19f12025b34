package io.asyncflow.console.page.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;

class JobPageTest {

  private final SamplePages pages = new SamplePages(new SampleApi());

  @Test
  void rateAndExpectedEndAreAmongTheFacts() throws Exception {
    Document page = Jsoup.parse(pages.html("/jobs/" + SampleApi.JOB, Language.EN));

    assertThat(page.select("#facts div:contains(Children ended) dd").text()).isEqualTo("31.5/s");
    assertThat(page.select("#facts div:contains(Expected to end) time").attr("datetime"))
        .endsWith("0.000Z");
  }
}
