package io.asyncflow.console;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import io.asyncflow.console.asset.AssetController;
import io.asyncflow.console.asset.Assets;
import io.asyncflow.console.frame.ConsoleProperties;
import io.asyncflow.console.frame.ErrorPages;
import io.asyncflow.console.frame.Frames;
import io.asyncflow.console.frame.PageGuard;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.page.account.AccountController;
import io.asyncflow.console.page.account.LogInController;
import io.asyncflow.console.page.bulk.BulkController;
import io.asyncflow.console.page.cluster.ClusterController;
import io.asyncflow.console.page.failure.FailureController;
import io.asyncflow.console.page.find.CookieController;
import io.asyncflow.console.page.find.SelectedController;
import io.asyncflow.console.page.find.TasksController;
import io.asyncflow.console.page.job.JobController;
import io.asyncflow.console.page.kitchen.KitchenController;
import io.asyncflow.console.page.overview.OverviewController;
import io.asyncflow.console.page.schedule.ScheduleController;
import io.asyncflow.console.page.task.FileController;
import io.asyncflow.console.page.task.TaskController;
import io.asyncflow.console.page.type.TypeController;
import io.asyncflow.console.page.worker.WorkerController;
import io.asyncflow.console.text.Language;
import jakarta.servlet.http.Cookie;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

/** The pages over a {@link SampleApi}, without a server. */
public final class SamplePages {

  /** One address of each page. */
  public static final List<String> ALL =
      List.of(
          "",
          "?wall",
          "/failures",
          "/failures?verdict=POISON&span=all&type=tts",
          "/types",
          "/types/tts",
          "/types/tts?tab=history",
          "/types/tts?tab=history&range=14d&stage=merge",
          "/types/tts?tab=failures",
          "/types/tts?tab=settings",
          "/types/tts?tab=acts",
          "/types/tts?tab=tables",
          "/jobs",
          "/jobs/" + SampleApi.JOB,
          "/tasks",
          "/tasks?q=type:tts%20status:failed%20error",
          "/tasks?q=type:tts%20foo:bar",
          "/tasks?q=user:nobody%20age%3C1h",
          "/tasks?q=status:executing&order=LONGEST",
          "/tasks/" + SampleApi.TASK,
          "/jobs/" + SampleApi.JOB + "/children/7",
          "/jobs/" + SampleApi.JOB + "/map",
          "/workers",
          "/worker?id=gpu-2",
          "/schedules",
          "/schedules/" + SampleApi.SCHEDULE,
          "/bulk",
          "/bulk/" + SampleApi.BULK,
          "/bulk/new",
          "/bulk/new?q=type:tts&act=RETRY",
          "/cluster",
          "/audit",
          "/preferences",
          "/help",
          "/login",
          "/nowhere");

  /** The page with all parts, whose forms lead nowhere. */
  public static final String KITCHEN = "/_kitchen";

  private final MockMvc mvc;

  public SamplePages(OperatorClient api) {
    this(api, new ConsoleProperties("/console", ""));
  }

  public SamplePages(OperatorClient api, ConsoleProperties properties) {
    Assets assets = new Assets();
    Pages pages = new Pages();
    Frames frames = new Frames(api, properties, assets, pages);
    this.mvc =
        MockMvcBuilders.standaloneSetup(
                new AccountController(),
                new AssetController(assets),
                new BulkController(),
                new ClusterController(),
                new FailureController(),
                new CookieController(),
                new FileController(),
                new JobController(),
                new KitchenController(),
                new LogInController(pages, frames, new SampleLogIn(), true),
                new OverviewController(() -> Instant.ofEpochMilli(SampleApi.NOW)),
                new ScheduleController(),
                new SelectedController(),
                new TaskController(),
                new TasksController(),
                new TypeController(),
                new WorkerController())
            .setControllerAdvice(new ErrorPages(pages, frames))
            .setCustomArgumentResolvers(frames)
            .addInterceptors(new PageGuard(frames))
            .addPlaceholderValue("asyncflow.console.path", properties.path())
            .build();
  }

  /** The answer to a request of a page, in this language. */
  public MockHttpServletResponse open(String address, Language language) throws Exception {
    return send(get(java.net.URI.create("/console" + address)), language);
  }

  /** The page that follows an act. */
  public MockHttpServletResponse openAfter(String act, String address) throws Exception {
    return send(
        get(java.net.URI.create("/console" + address)).cookie(new Cookie("asyncflow_done", act)),
        Language.EN);
  }

  /** What an open page asks for that shows what has this ETag. */
  public MockHttpServletResponse openAgain(String address, String eTag) throws Exception {
    return send(
        get(java.net.URI.create("/console" + address)).header("If-None-Match", eTag), Language.EN);
  }

  public String html(String address, Language language) throws Exception {
    return open(address, language).getContentAsString(StandardCharsets.UTF_8);
  }

  /** The answer to a form, whose fields are names and values in turn. */
  public MockHttpServletResponse submit(String address, String... fields) throws Exception {
    return submit(Language.EN, address, fields);
  }

  /** The same in this language. */
  public MockHttpServletResponse submit(Language language, String address, String... fields)
      throws Exception {
    return submit(language, post(java.net.URI.create("/console" + address)), fields);
  }

  private MockHttpServletResponse submit(
      Language language, MockHttpServletRequestBuilder form, String... fields) throws Exception {
    for (int i = 0; i < fields.length; i += 2) {
      form.param(fields[i], fields[i + 1]);
    }
    return send(form, language);
  }

  /** The answer to a form on a page, as a browser sends it. */
  public MockHttpServletResponse submitFrom(String page, String address, String... fields)
      throws Exception {
    return submit(
        Language.EN,
        post(java.net.URI.create("/console" + address))
            .header("Referer", "http://localhost/console" + page),
        fields);
  }

  /** The page that shows what a bulk would do. */
  public String preview(Language language) throws Exception {
    MockHttpServletRequestBuilder form =
        post(java.net.URI.create("/console/bulk/new")).param("q", "type:tts").param("act", "RETRY");
    return send(form, language).getContentAsString(StandardCharsets.UTF_8);
  }

  private MockHttpServletResponse send(MockHttpServletRequestBuilder request, Language language)
      throws Exception {
    return mvc.perform(request.cookie(new Cookie("asyncflow_console", "lang=" + language.code())))
        .andReturn()
        .getResponse();
  }
}
