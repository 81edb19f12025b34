package io.asyncflow.console.frame;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.asset.Assets;
import io.asyncflow.console.text.Language;
import java.io.IOException;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

class ErrorPagesTest {

  private final SampleApi api = new SampleApi();

  @Test
  void callerWhoHasLeftIsNoBug() {
    Frames frames =
        new Frames(api, new ConsoleProperties("/console", ""), new Assets(), new Pages());
    ErrorPages pages = new ErrorPages(new Pages(), frames);
    Exception left = new AsyncRequestNotUsableException("gone", new IOException("Broken pipe"));

    assertThat(pages.answer(left, new MockHttpServletRequest("GET", "/console"))).isNull();
    assertThat(pages.answer(new IOException("disk"), new MockHttpServletRequest("GET", "/console")))
        .satisfies(answer -> assertThat(answer.getStatusCode().value()).isEqualTo(500));
  }

  @Test
  void pageThatGotNoTurnAsksAgainAndAFormDoesNot() throws Exception {
    SamplePages pages = new SamplePages(api.refusing(ErrorCode.LIMIT_EXCEEDED, "busy"));

    assertThat(Jsoup.parse(pages.html("/jobs", Language.EN)).select("[data-again]").text())
        .isEqualTo("The server or its database is busy or away. This page asks again by itself.");
    String refused = pages.submit("/jobs/1/cancel").getContentAsString();
    assertThat(Jsoup.parse(refused).select("[data-again]")).isEmpty();
    assertThat(refused).contains("Try again in a moment.");
  }

  /** Browsers resolve dots before they follow an address. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console/../x",
        "/console/..",
        "/console/./x",
        "/console/a/%2e%2e/x",
        "/console/a/.%2E/x",
        "/console/..;a/x",
        "/console/..?q=1",
        "/console/..#a",
        "/console//other.example",
        "//other.example/console",
        "/console\\..\\x",
        "/consoles",
        "https://other.example/console"
      })
  void onlyAddressesOfTheConsoleAreItsOwn(String address) {
    Urls urls = new Urls("/console", "");

    assertThat(urls.own(address)).isEqualTo("/console");
    for (String own :
        List.of("/console", "/console/tasks?q=a..b%20//", "/console/types/a.b", "/console/a#..")) {
      assertThat(urls.own(own)).isEqualTo(own);
    }
  }

  @Test
  void addressesThatAnswersLeadToHaveRoomInTheirHeaders() throws Exception {
    Frames frames =
        new Frames(api, new ConsoleProperties("/console", ""), new Assets(), new Pages());
    ErrorPages pages = new ErrorPages(new Pages(), frames);
    for (int characters : new int[] {200, 260, 500}) {
      MockHttpServletRequest request = new MockHttpServletRequest("GET", "/console/tasks");
      request.setQueryString("q=" + "%E5".repeat(3 * characters));
      MockHttpServletResponse answer = new MockHttpServletResponse();
      pages.leadToLogIn(request, answer);

      assertThat(answer.getHeader("Location"))
          .startsWith("/console/login?to=%2Fconsole%2Ftasks")
          .hasSizeLessThan(3_500);
    }
    String q = "text:" + "错".repeat(900);
    Document preview =
        Jsoup.parse(
            new SamplePages(api).submit("/bulk/new", "q", q, "act", "RETRY").getContentAsString());
    assertThat(preview.select("main input[name=q]").attr("value")).hasSameSizeAs(q);
    assertThat(preview.select("input[name=to]").eachAttr("value"))
        .isNotEmpty()
        .containsOnly("/console/bulk/new");
  }

  @Test
  void refusedFormLeadsBackToItsPageAndShowsTheReasonThatWasTyped() throws Exception {
    SamplePages pages = new SamplePages(api.refusing(ErrorCode.CHANGED_MEANWHILE, "it moved"));
    String cancel = "/tasks/" + SampleApi.TASK + "/cancel";

    Document page =
        Jsoup.parse(
            pages
                .submitFrom("/tasks/" + SampleApi.TASK + "?x=1", cancel, "reason", "wrong voice")
                .getContentAsString());
    assertThat(page.select("a.back").attr("href"))
        .isEqualTo("/console/tasks/" + SampleApi.TASK + "?x=1");
    assertThat(page.select("dl.facts").text()).contains("wrong voice");

    page = Jsoup.parse(pages.submit(cancel).getContentAsString());
    assertThat(page.select("a.back").attr("href")).isEqualTo("/console/tasks/" + SampleApi.TASK);
    page = Jsoup.parse(pages.submit("/worker/drain?id=gpu-2").getContentAsString());
    assertThat(page.select("a.back").attr("href")).isEqualTo("/console/worker?id=gpu-2");
    assertThat(Jsoup.parse(pages.html("/jobs", Language.EN)).select("a.back")).isEmpty();
  }

  @Test
  void refusedFormLeadsToNoOtherSite() throws Exception {
    SamplePages pages = new SamplePages(api.refusing(ErrorCode.CHANGED_MEANWHILE, "it moved"));

    for (String to :
        new String[] {"https://evil.example/", "//evil.example", "javascript:alert(1)", "/x"}) {
      String page = pages.submit("/jobs/1/cancel", "to", to).getContentAsString();
      assertThat(Jsoup.parse(page).select("a.back").attr("href")).isEqualTo("/console/jobs/1");
    }
  }

  @Test
  void formOfAnotherSessionIsNoMissingRight() throws Exception {
    String page =
        new SamplePages(api.withToken("now"))
            .submit("/jobs/1/cancel", "csrf", "before")
            .getContentAsString();

    assertThat(page)
        .contains("This form is not of your session")
        .doesNotContain("Your role does not have the right")
        .contains("8074");
  }
}
