package io.asyncflow.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

/** Pages that are the answer to a form, so that their own address opens nothing. */
class FormAnswerTest {

  private final SampleApi api = new SampleApi();
  private final SamplePages pages = new SamplePages(api);

  @Test
  void switchesOfTheLanguageAndTheThemeLeadToAPage() throws Exception {
    String selected = SampleApi.TASK + "~1~2";
    String list = "/console/tasks?q=type:tts";

    assertThat(after("/tasks/selected", "act", "retry", "task", selected, "to", list))
        .isEqualTo(list);
    assertThat(
            after("/tasks/selected", "act", "retry", "task", selected, "to", list, "sure", "yes"))
        .isEqualTo(list);
    assertThat(after("/types/tts/review", "max_retry_num", "9"))
        .isEqualTo("/console/types/tts?tab=settings");
    assertThat(after("/bulk/new", "q", "type:tts age<1h", "act", "RETRY"))
        .isEqualTo("/console/bulk/new?q=type%3Atts%20age%3C1h&act=RETRY");
    assertThat(after("/login", "key", "wrong", "to", "/console/jobs")).isEqualTo("/console/jobs");
    assertThat(after("/tasks/nothing/at/all")).isEqualTo("/console/tasks/nothing/at");
  }

  /** What is sent from there is refused on a page that leads back to what was asked for. */
  @Test
  void formsOfSuchPagesSayWhereTheyCameFrom() throws Exception {
    Document review =
        Jsoup.parse(pages.submit("/types/tts/review", "max_retry_num", "9").getContentAsString());
    assertThat(review.select("main form [name=to]").attr("value"))
        .isEqualTo("/console/types/tts?tab=settings");
    Document preview = Jsoup.parse(pages.preview(Language.EN));
    assertThat(preview.select("form[action$=/bulk/start] [name=to]").attr("value"))
        .isEqualTo("/console/bulk/new?q=type%3Atts&act=RETRY");
  }

  /** Where the page leads that answers a form. */
  private String after(String address, String... fields) throws Exception {
    MockHttpServletResponse answer = pages.submit(address, fields);
    return Jsoup.parse(answer.getContentAsString())
        .select(".switches [name=to], form.login [name=to]")
        .attr("value");
  }
}
