package io.asyncflow.console.page.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SampleApi.Called;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

class TaskPageTest {

  private static final String PATH = "/tasks/" + SampleApi.TASK;

  private final SampleApi api = new SampleApi();
  private final SamplePages pages = new SamplePages(api);

  private Document page(int status) throws Exception {
    api.withTaskStatus(status);
    return Jsoup.parse(pages.html(PATH, Language.EN));
  }

  @Test
  void reasonsAreSentencesWithWhatWasSeenAndWhatHelps() throws Exception {
    Document page = page(1);

    assertThat(page.select("#why li[data-code=NO_WORKER]").text())
        .isEqualTo(
            "No live worker has its stage. lost cpu-9 serve other stages gpu-1 gpu-2 → Start a"
                + " worker with this stage.");
    assertThat(page.select("#why li[data-code=NO_WORKER] a").eachAttr("href"))
        .containsExactly(
            "/console/worker?id=cpu-9",
            "/console/worker?id=gpu-1",
            "/console/worker?id=gpu-2",
            "/console/workers");
    assertThat(page.select("#why li[data-code=BACKOFF] p").first().text())
        .isEqualTo("It waits for attempt 2 of 4, after a failure.");
    assertThat(page.select("#why li[data-code=TYPE_PAUSED] .todo a").attr("href"))
        .isEqualTo("/console/types/tts");
    assertThat(page.select("#why li[data-code=BEHIND] p").first().text())
        .isEqualTo("Due tasks of its stage that stand before it: ≥ 1,001");
  }

  @Test
  void reasonThatThisVersionDoesNotKnowIsSaidInTheWordsOfTheServer() throws Exception {
    assertThat(page(1).select("#why li[data-code=NEW_CODE]").text())
        .isEqualTo("The server says NEW_CODE. something ada");
  }

  @Test
  void whatCannotBeToldAtTheMomentLeavesTheRestOfThePage() throws Exception {
    api.without("x");
    Document page = Jsoup.parse(pages.html(PATH, Language.EN));

    assertThat(page.select("#past tbody tr")).hasSizeGreaterThan(4);
    assertThat(page.select("#past tbody").text()).contains("at Drive.open");
    assertThat(page.select(".timeline .lane")).hasSize(2);
  }

  @Test
  void stateRefusesActsWithItsReason() throws Exception {
    Document executing = page(2);
    assertThat(executing.select("#act-task_run_now, #act-task_reschedule")).isEmpty();
    assertThat(executing.select("#act-task_expire_lease")).hasSize(1);
    assertThat(executing.select(".act small").eachText())
        .contains("It does not wait.", "It belongs to a job.");
    assertThat(page(1).select(".act small").eachText()).contains("It is due already.");
  }

  @Test
  void endOfALeaseIsToldAsItIs() throws Exception {
    Document page = page(2);

    assertThat(page.select("#act-task_expire_lease").text())
        .contains("No retry is used up.")
        .contains("A report that the worker still makes is accepted until another hold begins;")
        .doesNotContain("is refused");
    assertThat(page.select("#past th").eachText())
        .contains("Lease ended by an operator")
        .doesNotContain("Set by an operator");
  }

  @Test
  void actsOfTheFormAreCallsOfTheApi() throws Exception {
    pages.submit(PATH + "/run_now", "reason", "now");
    pages.submit(PATH + "/reschedule", "delay", "5", "runAt", "", "priority", "");
    pages.submit(PATH + "/reschedule", "runAt", "2026-11-24T12:30");
    pages.submit(PATH + "/expire_lease", "expected_epoch", "2", "reason", "stuck");

    assertThat(api.acts())
        .containsExactly(
            new Called("/api/task/runNow", Map.of("taskId", SampleApi.TASK, "reason", "now")),
            new Called(
                "/api/task/reschedule", Map.of("taskId", SampleApi.TASK, "delayMs", 300_000)),
            new Called(
                "/api/task/reschedule",
                Map.of("taskId", SampleApi.TASK, "runAt", 1_795_523_400_000L)),
            new Called(
                "/api/task/expireLease",
                Map.of("taskId", SampleApi.TASK, "leaseEpoch", "2", "reason", "stuck")));
  }

  @Test
  void copyIsSentOnlyWhatWasChanged() throws Exception {
    pages.submit(
        PATH + "/clone", "taskStage", "split", "userId", "ada", "priority", "90", "runAt", "");

    assertThat(api.acts())
        .containsExactly(
            new Called("/api/task/clone", Map.of("taskId", SampleApi.TASK, "taskStage", "split")));
  }

  @Test
  void copyIsAsItIsForThoseWhoMayNotCreateTasks() throws Exception {
    String changed = "[name=taskStage], [name=userId], [name=taskContext]";
    api.ofNoJob(true).withStranger("plain text");
    assertThat(page(8).select("#act-task_clone").select(changed)).hasSizeGreaterThan(1);

    List<String> verbs = new ArrayList<>(List.of(SampleApi.ALL_VERBS));
    verbs.remove("TASK_CREATE");
    api.withVerbs(verbs.toArray(String[]::new));
    Element form = page(8).selectFirst("#act-task_clone form");
    assertThat(form.select(changed)).isEmpty();
    assertThat(form.select("[name=priority], [name=runAt]")).hasSize(2);
    assertThat(form.text()).contains("TASK_CREATE");
  }

  @Test
  void contextWithCoveredValuesIsNotEdited() throws Exception {
    assertThat(page(8).select("textarea")).isEmpty();
    assertThat(page(8).html()).doesNotContain("sk-4711");
  }

  @Test
  void contextOfManyValuesWithCoveredOnesIsNotEdited() throws Exception {
    api.ofNoJob(true).withContext("{\"api_key\":\"sk-4711\",\"n\":[" + "1,".repeat(600) + "1]}");
    assertThat(page(8).select("#act-task_clone")).hasSize(1);
    assertThat(page(8).select("textarea")).isEmpty();
    assertThat(page(8).html()).doesNotContain("sk-4711");
  }

  @Test
  void taskThatIsGoneSaysWhatIsKnownOfIt() throws Exception {
    api.without("17_tts_task_9");
    MockHttpServletResponse answer = pages.open("/tasks/17_tts_task_9", Language.EN);
    Document page = Jsoup.parse(answer.getContentAsString());

    assertThat(answer.getStatus()).isEqualTo(404);
    assertThat(page.select("h1").text()).isEqualTo("This task is not there");
    assertThat(page.select(".facts").text())
        .contains("t_tts_task_9")
        .contains("t_tts_task_3")
        .contains("30 days");
    assertThat(page.select("main").text()).contains("dropped after its retention");
  }

  @Test
  void childIsItsTaskOrSaysWhyItIsNone() throws Exception {
    String children = "/jobs/" + SampleApi.JOB + "/children/";

    assertThat(pages.open(children + "1", Language.EN).getHeader("Location"))
        .isEqualTo("/console/tasks/" + SampleApi.TASK);
    assertThat(Jsoup.parse(pages.html(children + "7", Language.EN)).select("h1").text())
        .isEqualTo("Child 7");
  }

  @Test
  void documentIsDownloadedWholeByThoseWhoMayReadIt() throws Exception {
    api.withStranger("x".repeat(100_000));
    assertThat(Jsoup.parse(pages.html(PATH, Language.EN)).select("#context").text())
        .contains("The first 65,536 of");
    String address = "/file/document?task=" + SampleApi.TASK + "&of=";
    MockHttpServletResponse document = pages.open(address + "context", Language.EN);
    assertThat(document.getHeader("Content-Disposition"))
        .isEqualTo("attachment; filename=\"" + SampleApi.TASK + "-context.json\"");
    assertThat(document.getContentType()).isEqualTo("application/octet-stream");
    assertThat(document.getContentAsString())
        .startsWith("{")
        .endsWith("}")
        .hasSizeGreaterThan(99_999);
    assertThat(pages.open(address + "userId", Language.EN).getStatus()).isEqualTo(404);

    api.withVerbs("TASK_READ");
    assertThat(pages.open(address + "context", Language.EN).getStatus()).isEqualTo(404);
  }

  @Test
  void fileIsADownloadThatNothingRunsIn() throws Exception {
    MockHttpServletResponse file =
        pages.open("/file?key=" + SampleApi.TASK + "/synthesize/2/page.html", Language.EN);

    assertThat(file.getStatus()).isEqualTo(200);
    assertThat(file.getContentType()).isEqualTo("application/octet-stream");
    assertThat(file.getHeader("Content-Disposition"))
        .isEqualTo("attachment; filename=\"page.html\"");
    assertThat(file.getHeader("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(file.getHeaders("Content-Security-Policy"))
        .containsExactly("sandbox; default-src 'none'");
    assertThat(file.getContentAsString()).contains("<script>");
  }

  @Test
  void onlyWhatBeginsAsAudioIsPlayed() throws Exception {
    String key = "/file/play?key=" + SampleApi.TASK + "/synthesize/2/";

    MockHttpServletResponse sound = pages.open(key + "chapter-1.wav", Language.EN);
    assertThat(sound.getContentType()).isEqualTo("audio/wav");
    assertThat(sound.getContentAsByteArray()).hasSize(1_644).startsWith('R', 'I', 'F', 'F');
    assertThat(sound.getHeader("X-Content-Type-Options")).isEqualTo("nosniff");

    assertThat(pages.open(key + "page.html", Language.EN).getStatus()).isEqualTo(404);
    assertThat(pages.open("/file?key=../etc/passwd", Language.EN).getStatus()).isEqualTo(404);
  }
}
