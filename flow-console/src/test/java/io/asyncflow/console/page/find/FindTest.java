package io.asyncflow.console.page.find;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SampleApi.Called;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import java.io.ByteArrayOutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

class FindTest {

  private static final String TASK = SampleApi.TASK;

  private final SampleApi api = new SampleApi();
  private final SamplePages pages = new SamplePages(api);

  private Document page(String address) throws Exception {
    return Jsoup.parse(pages.html(address, Language.EN));
  }

  private static String decoded(String location) {
    return URLDecoder.decode(location, StandardCharsets.UTF_8);
  }

  @Test
  void builderMakesTheWordsOfTheSearch() throws Exception {
    MockHttpServletResponse answer =
        pages.open(
            "/tasks/build?q=type%3Aold%20retries%3E2&type=tts&status=FAILED&status=WAITING&stage=cut%20it"
                + "&user=&worker=gpu-1*&age=1h&order=NEWEST",
            Language.EN);

    assertThat(decoded(answer.getHeader("Location")))
        .isEqualTo(
            "/console/tasks?q=retries>2 type:tts status:failed,waiting stage:\"cut it\""
                + " worker:gpu-1* age<1h&order=NEWEST");
  }

  @Test
  void fieldsOfTypesSuggestThoseThatThereAre() throws Exception {
    for (String address : List.of("/tasks", "/jobs", "/schedules", "/failures")) {
      assertThat(page(address).select("main input[name=type]").attr("list")).isEqualTo("types");
      assertThat(page(address).select("datalist#types option").eachAttr("value"))
          .as(address)
          .containsExactly("lark", "Render", "report", "tts");
    }
  }

  @Test
  void builderShowsTheWordsOfTheSearch() throws Exception {
    Document page = page("/tasks?q=type:tts%20status:failed,paused%20age%3C2d");

    assertThat(page.select("#builder input[name=type]").attr("value")).isEqualTo("tts");
    assertThat(page.select("#builder input[name=status][checked]").eachAttr("value"))
        .containsExactly("FAILED", "PAUSED");
    assertThat(page.select("#builder select[name=age] option[selected]").attr("value"))
        .isEqualTo("2d");
  }

  @Test
  void facetsOfATypeHaveNumbersAndNarrowTheSearch() throws Exception {
    Document page = page("/tasks?q=type:tts");

    assertThat(page.select(".facets").first().text()).contains("Waiting ≥ 9.8 M");
    assertThat(decoded(page.select(".facets a").first().attr("href")))
        .isEqualTo("/console/tasks?q=type:tts status:waiting");
    assertThat(page.select(".facets a").eachText()).contains("merge", "split");
    assertThat(page("/tasks").select(".facets").text()).doesNotContain("9.8");
  }

  @Test
  void howFarItWasLookedIsSaidAndGoesOn() throws Exception {
    Document page = page("/tasks?q=type:tts%20age%3C9d");

    assertThat(page.select(".looked").text()).startsWith("Looked at 20,000 tasks, back to");
    assertThat(page.select(".looked a[rel=next]").attr("href"))
        .contains("cursor=N249835547751612417_249835547751612417");
    assertThat(decoded(page.select(".looked a").last().attr("href")))
        .isEqualTo("/console/tasks?q=type:tts created:2026-11-22");
    assertThat(page("/tasks?q=user:nobody%20age%3C1h").select(".empty a").eachAttr("href"))
        .containsExactly("/console/tasks?q=age%3C1h", "/console/tasks?q=user%3Anobody");
  }

  @Test
  void whereNotAllWasLookedAtNothingElseIsSaid() throws Exception {
    String all = "All that could fit was looked at.";
    assertThat(
            page("/tasks?q=status:executing%20user:nobody&order=LONGEST").select(".empty").text())
        .contains(all);
    api.withRows(100);
    assertThat(
            page("/tasks?q=status:executing%20user:nobody&order=LONGEST").select(".empty").text())
        .contains("The 100 tasks that have run for the longest were looked at.")
        .doesNotContain(all);
    api.atTheEnd(true);
    assertThat(page("/tasks?q=status:waiting%20user:nobody").select(".empty").text())
        .contains("Name a type or a stage")
        .doesNotContain(all);
  }

  @Test
  void downloadHasTheTasksOfTheList() throws Exception {
    Document page = page("/tasks?q=status:executing&order=LONGEST");
    String file =
        pages
            .open(page.select("a[download]").attr("href").substring(8), Language.EN)
            .getContentAsString();

    assertThat(page.select("#rows tr")).hasSize(3);
    assertThat(file.split("\"taskId\"")).hasSize(4);
  }

  @Test
  void facetsOfMoreThanATypeHaveNoNumbers() throws Exception {
    for (String q : new String[] {"user:ada", "age%3C1h", "error", "job:" + SampleApi.JOB}) {
      assertThat(page("/tasks?q=type:tts%20" + q).select(".facets").first().select("b"))
          .as(q)
          .isEmpty();
    }
    assertThat(page("/tasks?q=type:tts%20stage:merge%20status:failed").select(".facets b").text())
        .isNotEmpty();
  }

  @Test
  void statusInCapitalsIsSwitchedOffByAClick() throws Exception {
    assertThat(
            decoded(
                page("/tasks?q=type:tts%20status:FAILED,waiting")
                    .select(".facets a:contains(Failed)")
                    .attr("href")))
        .isEqualTo("/console/tasks?q=type:tts status:waiting");
  }

  @Test
  void whatIsRefusedIsSaidInTheLanguageOfThePage() throws Exception {
    assertThat(pages.html("/tasks?q=type:tts%20foo:bar", Language.ZH)).contains("服务器的说明");
    for (Language language : Language.values()) {
      String of = language == Language.ZH ? "最多" : "at most";
      assertThat(
              pages
                  .submit(language, "/tasks/save", "name", "", "q", "x")
                  .getContentAsString(StandardCharsets.UTF_8))
          .contains(of + " 40");
      String[] fields = new String[2 + 2 * 201];
      fields[0] = "act";
      fields[1] = "retry";
      for (int i = 2; i < fields.length; i += 2) {
        fields[i] = "task";
        fields[i + 1] = i + "_tts_task_1~2~8";
      }
      assertThat(
              pages
                  .submit(language, "/tasks/selected", fields)
                  .getContentAsString(StandardCharsets.UTF_8))
          .contains(language == Language.ZH ? "最多 200" : "At most 200");
    }
  }

  @Test
  void wordThatIsWrongIsMarkedAndTheOthersStay() throws Exception {
    Document page = page("/tasks?q=type:tts%20foo:bar");

    assertThat(page.select("u.wrong").eachText()).containsExactly("foo:bar");
    assertThat(page.select("#refusal").text()).contains("known are age, status, type");
    assertThat(page.select("#q").attr("value")).isEqualTo("type:tts foo:bar");
    assertThat(page.select("#list")).isEmpty();
  }

  @Test
  void idsAndNamesLeadToTheirPlace() throws Exception {
    for (String asked : new String[] {"/tasks?q=", "/open?id="}) {
      assertThat(pages.open(asked + TASK, Language.EN).getHeader("Location"))
          .isEqualTo("/console/tasks/" + TASK);
      assertThat(pages.open(asked + SampleApi.JOB, Language.EN).getHeader("Location"))
          .isEqualTo("/console/jobs/" + SampleApi.JOB);
    }
    assertThat(decoded(pages.open("/open?id=ada", Language.EN).getHeader("Location")))
        .isEqualTo("/console/tasks?q=user:ada");
    assertThat(decoded(pages.open("/open?id=10086", Language.EN).getHeader("Location")))
        .isEqualTo("/console/tasks?q=user:10086");
    assertThat(decoded(pages.open("/open?id=status:failed", Language.EN).getHeader("Location")))
        .isEqualTo("/console/tasks?q=status:failed");
  }

  @Test
  void selectedTasksAreAskedForAndThenActedOnAsTheyWereSeen() throws Exception {
    String other = "249835547751612418_tts_task_1";
    String[] selection = {"act", "retry", "task", TASK + "~2~8", "task", other + "~3~8"};
    Document asked = Jsoup.parse(pages.submit("/tasks/selected", selection).getContentAsString());

    assertThat(api.acts()).isEmpty();
    assertThat(asked.select("h1").text()).isEqualTo("Retry 2 tasks");
    assertThat(asked.select("input[name=task]").eachAttr("value"))
        .containsExactly(TASK + "~2~8", other + "~3~8");

    api.without(other);
    Document done =
        Jsoup.parse(
            pages
                .submit(
                    "/tasks/selected",
                    "act",
                    "retry",
                    "sure",
                    "yes",
                    "reason",
                    "fixed",
                    "to",
                    "//evil.example",
                    "task",
                    TASK + "~2~8",
                    "task",
                    other + "~3~8")
                .getContentAsString());

    assertThat(api.acts())
        .containsExactly(
            new Called(
                "/api/task/retry",
                Map.of(
                    "taskId", TASK, "expectedEpoch", 2, "expectedStatus", 8, "reason", "fixed")));
    assertThat(done.select(".notice.ok").text()).isEqualTo("1 task: done");
    assertThat(done.select("tbody tr").text()).contains("8035").contains("any more");
    assertThat(done.select(".pager a").attr("href")).isEqualTo("/console");
  }

  @Test
  void selectionThatIsNoneIsRefused() throws Exception {
    assertThat(pages.submit("/tasks/selected", "act", "explode", "task", TASK).getStatus())
        .isEqualTo(404);
    assertThat(pages.submit("/tasks/selected", "act", "retry", "task", "x").getStatus())
        .isEqualTo(400);
    assertThat(pages.submit("/tasks/selected", "act", "retry", "to", "/console/tasks").getStatus())
        .isEqualTo(303);
    assertThat(api.acts()).isEmpty();
  }

  @Test
  void allThatIsFoundCanBeActedOnByABulk() throws Exception {
    Document page = page("/tasks?q=type:tts%20status:failed");
    assertThat(page.select("#all a").eachAttr("href").stream().map(FindTest::decoded))
        .containsExactly(
            "/console/bulk/new?q=type:tts status:failed&act=RETRY",
            "/console/bulk/new?q=type:tts status:failed&act=CANCEL",
            "/console/bulk/new?q=type:tts status:failed&act=RUN_NOW",
            "/console/bulk/new?q=type:tts status:failed");

    Document asked = page(page.select("#all a").first().attr("href").substring(8));
    assertThat(asked.select("input[name=q]").not("#find").eachAttr("value"))
        .contains("type:tts status:failed");
    assertThat(asked.select("select[name=act] option[selected]").attr("value")).isEqualTo("RETRY");

    assertThat(page("/tasks").select("#all")).as("all tasks are too many").isEmpty();
    api.withVerbs("TASK_READ", "TASK_RETRY");
    assertThat(page("/tasks?q=type:tts").select("#all")).isEmpty();
  }

  @Test
  void operatorWithoutVerbsSelectsNothing() throws Exception {
    Document page =
        Jsoup.parse(
            new SamplePages(new SampleApi().withVerbs("TASK_READ"))
                .html("/tasks?q=type:tts", Language.EN));

    assertThat(page.select("input[name=task], button[name=act]")).isEmpty();
    assertThat(page.select("#rows tr")).isNotEmpty();
    assertThat(page.select("#builder input[name=text]")).isEmpty();
  }

  @Test
  void searchesAndColumnsAreKeptInCookies() throws Exception {
    MockHttpServletResponse saved =
        pages.submit("/tasks/save", "name", "mine", "q", "type:tts age<1h", "to", "/console/tasks");
    assertThat(saved.getHeader("Set-Cookie"))
        .startsWith("asyncflow_searches=mine=type%3Atts%20age%3C1h;")
        .contains("HttpOnly")
        .contains("SameSite=Lax");

    MockHttpServletResponse ordered =
        pages.submit("/tasks/save", "name", "n", "q", "status:executing", "order", "LONGEST");
    assertThat(ordered.getHeader("Set-Cookie"))
        .startsWith("asyncflow_searches=n=status%3Aexecuting=LONGEST;");
    assertThat(
            pages
                .submit("/tasks/save", "name", "n", "q", "status:executing", "order", "ODD")
                .getHeader("Set-Cookie"))
        .startsWith("asyncflow_searches=n=status%3Aexecuting;");

    assertThat(
            pages.submit("/tasks/columns", "column", "user", "column", "x").getHeader("Set-Cookie"))
        .startsWith("asyncflow_columns=user;");
    assertThat(Column.of("none")).isEmpty();
    assertThat(Column.of("")).hasSize(7).doesNotContain(Column.CHANGED);
    assertThat(pages.submit("/tasks/save", "name", "", "q", "x").getStatus()).isEqualTo(400);
  }

  @Test
  void foundTasksAreDownloadedAsTheApiAnswersThem() throws Exception {
    MockHttpServletResponse file = pages.open("/tasks/download?q=type:tts", Language.EN);

    assertThat(file.getContentType()).isEqualTo("application/json");
    assertThat(file.getHeader("Content-Disposition")).contains("attachment");
    assertThat(file.getContentAsString()).contains("\"taskList\"").contains(TASK);
  }

  @Test
  void serverThatIsBusyIsNoFaultOfTheWords() throws Exception {
    api.refusing(ErrorCode.LIMIT_EXCEEDED, "too many");

    assertThat(pages.open("/tasks", Language.EN).getStatus()).isEqualTo(429);
  }

  @Test
  void fullPagesStayWithinTheirBudget() throws Exception {
    api.withFound(100).withChildren(5_000);
    for (String address :
        List.of("/tasks?q=type:tts", "/tasks/" + TASK, "/jobs/" + SampleApi.JOB)) {
      ByteArrayOutputStream zipped = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
        gzip.write(pages.html(address, Language.ZH).getBytes(StandardCharsets.UTF_8));
      }
      assertThat(zipped.size()).as(address).isLessThan(20 * 1024);
    }
  }
}
