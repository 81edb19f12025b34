package io.asyncflow.console.page.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.select.Elements;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

class JobPageTest {

  private final SampleApi api = new SampleApi();
  private final SamplePages pages = new SamplePages(api);

  @Test
  void rateAndExpectedEndAreAmongTheFacts() throws Exception {
    Document page = Jsoup.parse(pages.html("/jobs/" + SampleApi.JOB, Language.EN));

    assertThat(page.select("#facts div:contains(Children ended) dd").text()).isEqualTo("31.5/s");
    assertThat(page.select("#facts div:contains(Expected to end) time").attr("datetime"))
        .endsWith("0.000Z");
    assertThat(page.select("a[href=/console/audit?object=job%3A" + SampleApi.JOB + "]")).hasSize(1);
  }

  @Test
  void inputIsADownloadForThoseWhoMayReadIt() throws Exception {
    String address = "/jobs/" + SampleApi.JOB;
    String link = "a[href=/console/file/input?job=" + SampleApi.JOB + "]";
    Elements links = Jsoup.parse(pages.html(address, Language.EN)).select(link);
    assertThat(links).hasSize(1);
    assertThat(links.hasAttr("download")).as("hides why the input is gone").isFalse();

    MockHttpServletResponse input = pages.open("/file/input?job=" + SampleApi.JOB, Language.EN);
    assertThat(input.getContentAsString()).isEqualTo("Call me Ishmael.");
    assertThat(input.getContentType()).isEqualTo("application/octet-stream");
    assertThat(input.getHeader("Content-Disposition"))
        .isEqualTo("attachment; filename=\"" + SampleApi.JOB + "-input.txt\"");
    assertThat(pages.open("/file/input?job=1", Language.EN).getStatus()).isEqualTo(404);

    api.withVerbs("JOB_READ");
    assertThat(Jsoup.parse(pages.html(address, Language.EN)).select(link)).isEmpty();
  }
}
