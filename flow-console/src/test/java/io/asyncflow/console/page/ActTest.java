package io.asyncflow.console.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.console.IssuerLogIn;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SampleApi.Called;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import java.util.Locale;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

class ActTest {

  private static final String DONE = "asyncflow_done=";

  private final SampleApi api = new SampleApi();
  private final SamplePages pages = new SamplePages(api);

  @Test
  void formOfAnActIsOneCallAndThenAPage() throws Exception {
    MockHttpServletResponse answer =
        pages.submit("/tasks/" + SampleApi.TASK + "/cancel", "reason", "wrong voice");

    assertThat(api.acts())
        .containsExactly(
            new Called(
                "/api/task/cancel", Map.of("taskId", SampleApi.TASK, "reason", "wrong voice")));
    assertThat(answer.getStatus()).isEqualTo(303);
    assertThat(answer.getHeader("Location")).isEqualTo("/console/tasks/" + SampleApi.TASK);
    assertThat(answer.getHeader("Set-Cookie")).startsWith(DONE + "task_cancel; Path=/console;");
  }

  @Test
  void whatWasDoneIsSaidOnceAndByNoLink() throws Exception {
    String address = "/tasks/" + SampleApi.TASK;
    assertThat(pages.html(address + "?done=task_cancel", Language.EN))
        .doesNotContain("The task was cancelled.");

    MockHttpServletResponse page = pages.openAfter("task_cancel", address);
    assertThat(page.getContentAsString()).contains("The task was cancelled.");
    assertThat(page.getHeader("Set-Cookie")).startsWith(DONE + ";").contains("Max-Age=0");
  }

  @Test
  void pauseIsGraveWhereItCanEndAHold() throws Exception {
    String pause = "#act-task_pause button.grave";
    String address = "/tasks/" + SampleApi.TASK;
    assertThat(Jsoup.parse(pages.html(address, Language.EN)).select(pause)).hasSize(1);

    api.withTaskStatus(1);
    Document waits = Jsoup.parse(pages.html(address, Language.EN));
    assertThat(waits.select(pause)).isEmpty();
    assertThat(waits.select("#act-task_pause button.primary")).hasSize(1);
  }

  @Test
  void actOnATaskSaysInWhichStateTheTaskWasSeen() throws Exception {
    Document page = Jsoup.parse(pages.html("/tasks/" + SampleApi.TASK, Language.EN));
    String epoch = page.select("#act-task_cancel [name=expected_epoch]").attr("value");
    String status = page.select("#act-task_cancel [name=expected_status]").attr("value");
    assertThat(epoch).matches("[0-9]+");
    assertThat(status).isEqualTo("2");

    String[] acts = {
      "cancel", "retry", "set_status", "run_now", "reschedule", "pause", "resume", "restart"
    };
    for (String act : acts) {
      pages.submit(
          "/tasks/" + SampleApi.TASK + "/" + act,
          "reason",
          "seen",
          "status",
          "4",
          "delay",
          "5",
          "expected_epoch",
          epoch,
          "expected_status",
          status);
    }
    assertThat(api.acts())
        .hasSize(acts.length)
        .allMatch(act -> epoch.equals(act.fields().get("expectedEpoch")))
        .allMatch(act -> status.equals(act.fields().get("expectedStatus")));
  }

  @Test
  void scheduleIsFiredByThoseWhoMaySaveOrSteerIt() throws Exception {
    for (String verb : new String[] {"SCHEDULE_SAVE", "SCHEDULE_STEER"}) {
      api.withVerbs("SCHEDULE_READ", verb);
      assertThat(
              Jsoup.parse(pages.html("/schedules/" + SampleApi.SCHEDULE, Language.EN))
                  .select("#act-schedule_trigger"))
          .as(verb)
          .hasSize(1);
    }
  }

  @Test
  void everyFormOfEveryPageLeadsToACall() throws Exception {
    int forms = 0;
    for (int status : new int[] {1, 2, 8, 32}) {
      api.withTaskStatus(status);
      for (String address : SamplePages.ALL) {
        Document page = Jsoup.parse(pages.html(address, Language.EN));
        for (Element form : page.select("details.act > form")) {
          int before = api.acts().size();
          MockHttpServletResponse answer =
              pages.submit(
                  form.attr("action").substring("/console".length()),
                  "reason",
                  "test",
                  "status",
                  "4",
                  "task_type",
                  "tts");

          assertThat(answer.getStatus()).as(form.attr("action")).isEqualTo(303);
          assertThat(api.acts()).as(form.attr("action")).hasSize(before + 1);
          forms++;
        }
      }
    }
    assertThat(forms).isGreaterThan(30);
  }

  @Test
  void bulkIsStartedByItsTokenTheTypedCountAndAReason() throws Exception {
    Document page = Jsoup.parse(pages.preview(Language.EN));
    String token = page.select("form[method=post] input[name=token]").attr("value");
    assertThat(page.select("form[method=post] input[name=count]").attr("pattern"))
        .isEqualTo("12000");

    MockHttpServletResponse answer =
        pages.submit("/bulk/start", "token", token, "count", "12000", "reason", "tape is back");

    assertThat(api.acts())
        .containsExactly(
            new Called(
                "/api/bulk/start",
                Map.of("token", token, "count", "12000", "reason", "tape is back")));
    assertThat(answer.getStatus()).isEqualTo(303);
    assertThat(answer.getHeader("Location")).isEqualTo("/console/bulk/" + SampleApi.BULK);
  }

  @Test
  void buttonThatStartsABulkNamesTheActAndHowManyTasks() throws Exception {
    assertThat(start("RETRY", 812, "EXACT")).isEqualTo("primary: Retry 812 tasks");
    assertThat(start("RUN_NOW", 1, "EXACT")).isEqualTo("primary: Run 1 task now");
    assertThat(start("CANCEL", 4_000, "AT_LEAST")).isEqualTo("grave: Cancel ≥ 4,000 tasks");
    for (int beyond : new int[] {10_000, 12_000}) {
      assertThat(start("EXPIRE_LEASE", beyond, "AT_LEAST"))
          .as("its cap")
          .isEqualTo("grave: End the leases of up to 10,000 tasks");
    }
    assertThat(start("PAUSE", 10_000, "EXACT")).isEqualTo("primary: Pause 10,000 tasks");
    assertThat(start("PAUSE", 10_001, "EXACT")).isEqualTo("primary: Pause up to 10,000 tasks");
    for (BulkAct act : BulkAct.values()) {
      api.withPreview(act.name(), 812, "EXACT");
      for (Language language : Language.values()) {
        assertThat(startButton(language).text()).contains("812").doesNotContain("bulk.");
      }
    }
  }

  private String start(String act, int count, String kind) throws Exception {
    api.withPreview(act, count, kind);
    Element button = startButton(Language.EN);
    return button.className() + ": " + button.text();
  }

  private Element startButton(Language language) throws Exception {
    return Jsoup.parse(pages.preview(language)).selectFirst("form[action$=/bulk/start] button");
  }

  @Test
  void bulkWithoutTasksCannotBeStarted() throws Exception {
    api.empty(true);
    Document page = Jsoup.parse(pages.preview(Language.EN));

    assertThat(page.select("form[method=post] input[name=token]")).isEmpty();
  }

  @Test
  void actThatDoesNotExistIsNoPage() throws Exception {
    assertThat(pages.submit("/tasks/" + SampleApi.TASK + "/explode").getStatus()).isEqualTo(404);
    assertThat(pages.submit("/worker/explode", "id", "gpu-1").getStatus()).isEqualTo(404);
    assertThat(api.acts()).isEmpty();
  }

  @Test
  void stateThatRefusesAnActSaysWhy() throws Exception {
    api.withTaskStatus(4);
    Document page = Jsoup.parse(pages.html("/tasks/" + SampleApi.TASK, Language.EN));

    assertThat(page.select("#act-task_retry, #act-task_cancel, #act-task_pause")).isEmpty();
    assertThat(page.select(".act button[disabled]").eachText()).contains("Retry", "Cancel");
    assertThat(page.select(".act small").eachText()).contains("It has succeeded.");
  }

  @Test
  void settingsAreReviewedBeforeTheyAreSaved() throws Exception {
    String shown =
        pages
            .submit("/types/tts/review", "max_executing", "32", "max_retry_num", "3")
            .getContentAsString();
    Document page = Jsoup.parse(shown);

    assertThat(api.acts()).isEmpty();
    assertThat(page.select("tbody tr")).hasSize(1);
    assertThat(page.select("del").text()).isEqualTo("64");
    assertThat(page.select("ins").text()).isEqualTo("32");

    String read = page.select("input[name=modify_time]").attr("value");
    assertThat(page.select("form input[name=reason]")).hasSize(1);
    assertThat(
            pages
                .submit(
                    "/types/tts/save",
                    "modify_time",
                    read,
                    "max_executing",
                    "32",
                    "reason",
                    "two GPUs are away")
                .getStatus())
        .isEqualTo(303);
    assertThat(api.acts())
        .containsExactly(
            new Called(
                "/api/task_schedule_cfg/save",
                Map.of(
                    "task_type",
                    "tts",
                    "expected_modify_time",
                    read,
                    "max_executing",
                    "32",
                    "reason",
                    "two GPUs are away")));
  }

  @Test
  void actsOnATypeTakeAReasonAndSendNoneThatIsBlank() throws Exception {
    pages.submit("/types/tts/roll", "reason", "the table is slow");
    pages.submit("/types", "task_type", "tts", "reason", "a new model");
    pages.submit("/types/tts/save", "modify_time", "7", "max_executing", "32", "reason", " ");

    assertThat(api.acts())
        .containsExactly(
            new Called(
                "/api/task_schedule_cfg/roll",
                Map.of("taskType", "tts", "reason", "the table is slow")),
            new Called(
                "/api/task_schedule_cfg/save", Map.of("task_type", "tts", "reason", "a new model")),
            new Called(
                "/api/task_schedule_cfg/save",
                Map.of("task_type", "tts", "expected_modify_time", "7", "max_executing", "32")));
    assertThat(
            Jsoup.parse(pages.html("/types", Language.EN)).select("#act-type_create [name=reason]"))
        .hasSize(1);
  }

  @Test
  void formWithoutTheTokenOfItsSessionIsRefused() throws Exception {
    api.withToken("secret-of-the-session");
    String cancel = "/tasks/" + SampleApi.TASK + "/cancel";

    assertThat(pages.submit(cancel).getStatus()).isEqualTo(403);
    assertThat(pages.submit(cancel, "csrf", "guess").getStatus()).isEqualTo(403);
    assertThat(api.acts()).isEmpty();
    assertThat(pages.submit(cancel, "csrf", "secret-of-the-session").getStatus()).isEqualTo(303);
  }

  @Test
  void everyFormThatActsCarriesTheToken() throws Exception {
    api.withToken("secret-of-the-session");
    for (String address : SamplePages.ALL) {
      if (address.equals("/login")) {
        continue; // there is no session yet
      }
      assertThat(Jsoup.parse(pages.html(address, Language.EN)).select("form[method=post]"))
          .allMatch(
              form ->
                  form.select("input[name=csrf]").attr("value").equals("secret-of-the-session"));
    }
  }

  @Test
  void idLeadsToItsPage() throws Exception {
    assertThat(pages.open("/open?id=%20" + SampleApi.TASK, Language.EN).getHeader("Location"))
        .isEqualTo("/console/tasks/" + SampleApi.TASK);
    assertThat(pages.open("/open?id=" + SampleApi.JOB, Language.EN).getHeader("Location"))
        .isEqualTo("/console/jobs/" + SampleApi.JOB);
  }

  @Test
  void preferencesLeadBackToAPageOfTheConsoleAlone() throws Exception {
    for (String strange :
        new String[] {"https://evil.example/", "//evil.example", "/console/\\evil", "/other"}) {
      assertThat(pages.submit("/preferences", "lang", "zh", "to", strange).getHeader("Location"))
          .isEqualTo("/console");
    }
    MockHttpServletResponse saved =
        pages.submit("/preferences", "theme", "dark", "to", "/console/types?x=1");
    assertThat(saved.getHeader("Location")).isEqualTo("/console/types?x=1");
    assertThat(saved.getHeaders("Set-Cookie"))
        .singleElement(STRING)
        .contains("theme=dark", "HttpOnly");

    MockHttpServletResponse all =
        pages.submit("/preferences", "refresh", "5", "to", "/console/preferences");
    assertThat(all.getHeaders("Set-Cookie")).hasSize(2).last(STRING).contains("=preferences;");
    assertThat(pages.openAfter("preferences", "/preferences").getContentAsString())
        .contains("The preferences were saved.");
  }

  @Test
  void keyLeadsToThePageThatWasAskedFor() throws Exception {
    assertThat(pages.submit("/login", "key", "right", "to", "/console/jobs").getHeader("Location"))
        .isEqualTo("/console/jobs");
    assertThat(pages.submit("/login", "key", "right", "to", "//evil.example").getHeader("Location"))
        .isEqualTo("/console");

    MockHttpServletResponse refused = pages.submit("/login", "key", "wrong");
    assertThat(refused.getStatus()).isEqualTo(401);
    assertThat(refused.getContentAsString()).contains("This is not a valid key.");
  }

  @Test
  void pageToLogInSaysWhyTheIssuersLogInWasRefused() throws Exception {
    for (Language language : Language.values()) {
      for (IssuerLogIn.Reason reason : IssuerLogIn.Reason.values()) {
        String why = reason.name().toLowerCase(Locale.ROOT);
        assertThat(pages.html("/login?why=" + why, language))
            .as("%s %s", why, language)
            .contains("role=\"alert\"")
            .doesNotContain("login.issuer." + why);
      }
    }
    assertThat(pages.html("/login?why=other", Language.EN)).doesNotContain("role=\"alert\"");
  }
}
