package io.asyncflow.systemtest.kubernetes;

import static io.asyncflow.systemtest.kubernetes.Chart.at;
import static io.asyncflow.systemtest.kubernetes.Chart.each;
import static io.asyncflow.systemtest.kubernetes.Chart.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TrustedRoots;
import io.asyncflow.api.key.NewKey;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.testing.TestCertificate;
import io.asyncflow.systemtest.measure.Figures;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The images, as they are built here: without a base, from which they would have their JRE. */
@Tag("faults")
@Timeout(300)
class ImageIT {

  private static final String ADMIN_KEY = "9f1c7e0b5d2a4863a1b0c7d8e9f60718";
  private static final Duration START_PATIENCE = Duration.ofSeconds(120);

  /** Has no classes, so the executable jar leaves it out. */
  private static final String STARTER = "spring-boot-starter";

  private static final String MESSAGE =
      """
      {"ReqBody":"hello","fromAddr":"fish","toAddr":"bird"}""";
  private static final Pattern LOCATION =
      Pattern.compile(
          "\\[?result[.]types[.]#\\(taskType==\"(\\w+)\"\\)(?:#[|]#\\(paused==false\\))?"
              + "[.](\\w+)[.]count(?:,!0\\][.]0)?");
  private static final Pattern STYLE_SHEET = Pattern.compile("href=\"(/console/[^\"]+[.]css)\"");

  @TempDir private Path directory;

  private final Map<String, String> secrets = new HashMap<>();
  private HttpClient http;
  private int port;
  private HttpFlowClient admin;

  @ParameterizedTest
  @CsvSource({
    "flowsvr, io.asyncflow.flowsvr.FlowServer",
    "worker-example, io.asyncflow.example.ExampleWorker"
  })
  void whatChangesLeastLiesLowest(String module, String main) throws Exception {
    Image image = Image.of(module, directory);
    List<List<String>> layers = image.layers();
    assertThat(layers).hasSizeGreaterThanOrEqualTo(3);
    assertThat(layers.get(0)).noneMatch(path -> path.contains("SNAPSHOT"));
    assertThat(layers.get(1)).isNotEmpty().allMatch(path -> path.contains("-SNAPSHOT"));
    assertThat(layers.subList(2, layers.size()))
        .flatMap(files -> files)
        .anyMatch(path -> path.startsWith("app/classpath/" + module));
    assertThat(layers).flatMap(files -> files).allMatch(path -> path.startsWith("app/"));
    assertThat(image.texts("Entrypoint")).startsWith("java").endsWith(main);
    assertThat(text(image.config(), "User")).isEqualTo("10001:10001");
  }

  @ParameterizedTest
  @ValueSource(strings = {"flowsvr", "worker-example"})
  void hasTheLibrariesOfTheExecutableJar(String module) throws Exception {
    Image image = Image.of(module, directory);
    assertThat(image.jarsIn("app/libs").filter(name -> !name.startsWith(STARTER)))
        .containsExactlyInAnyOrderElementsOf(librariesOfTheJar(module));
  }

  private static List<String> librariesOfTheJar(String module) throws IOException {
    try (Stream<Path> built = Files.list(Chart.HOME.resolve(module).resolve("target"))) {
      Path jar = built.filter(file -> file.toString().endsWith("-exec.jar")).findFirst().get();
      try (JarFile executable = new JarFile(jar.toFile())) {
        return executable.stream()
            .map(entry -> entry.getName())
            .filter(name -> name.matches("BOOT-INF/lib/.+[.]jar"))
            .map(name -> name.replace("BOOT-INF/lib/", ""))
            .filter(name -> !name.startsWith("spring-boot-jarmode-tools"))
            .toList();
      }
    }
  }

  @Test
  void serverAndWorkerRunAsTheChartDescribesThem() throws Exception {
    if (!Pod.isPossible()) {
      Figures.print(
          "The images were not started: there is no bwrap, or it may not make a sandbox.");
      abort("no sandbox");
    }
    Figures.print(
        "The images have the base %s; their layers run on the JDK %s of this machine.",
        System.getProperty("asyncflow.image.base"), System.getProperty("java.version"));
    Image server = Image.of("flowsvr", directory.resolve("flowsvr"));
    Image worker = Image.of("worker-example", directory.resolve("worker-example"));
    port = LoopbackPort.free();
    try (EmbeddedMariaDb database = EmbeddedMariaDb.startDisposable(directory.resolve("db"))) {
      DatabaseEndpoint endpoint = database.endpoint();
      Chart chart =
          Chart.of(
              Chart.MINIMAL,
              "server.port=" + port,
              "server.drainSeconds=1",
              "server.autoscaling.enabled=true",
              "server.args[0]=--spring.ssl.bundle.watch.file.quiet-period=100ms",
              "database.url=" + endpoint.jdbcUrl("asyncflow"),
              "database.user=" + endpoint.user(),
              "access.mode=keys",
              "secrets.keyPepper.name=asyncflow",
              "tls.secret=flowsvr-tls",
              "networkPolicy.enabled=false",
              "workers.lark.image=worker-example",
              "workers.lark.taskType=lark",
              "workers.lark.key.name=lark-worker",
              "workers.lark.ca.name=flowsvr-tls",
              "workers.lark.ca.key=tls.crt",
              "workers.lark.scaling.enabled=true",
              "workers.lark.scaling.key.name=lark-scaler");
      secrets.put("asyncflow/mysql-password", endpoint.password());
      secrets.put("asyncflow/api-key", ADMIN_KEY);
      secrets.put("asyncflow/key-pepper", "0b5d2a4863a1b0c7d8e9f607189f1c7e");
      useNewCertificate();
      JsonObject deployment = chart.one("Deployment", "-server");
      try (Pod flowsvr = Pod.start(server, deployment, secrets, directory.resolve("server"))) {
        awaitProbes(flowsvr, deployment);
        theConsoleIsThere();
        aBusyConnectionIsClosed();
        admin.saveTaskType(TaskTypeSettings.named("lark"));
        String readerKey = newKey("scaler", "READER");
        assertThat(dueAndExecuting(chart, readerKey)).containsExactly(0, 0);
        String taskId = admin.createTask(NewTask.of("lark", "sendmsg", "ada", MESSAGE));
        await()
            .atMost(START_PATIENCE)
            .until(() -> dueAndExecuting(chart, readerKey).equals(List.of(1, 0)));
        theWorkerRuns(taskId, worker, chart.one("Deployment", "-worker-lark"));
        useNewCertificate();
        flowsvr.refresh("tls", secrets);
        awaitProbes(flowsvr, deployment);
        int grace = at(deployment, "spec.template.spec.terminationGracePeriodSeconds").getAsInt();
        assertThat(flowsvr.stop(Duration.ofSeconds(grace))).isEqualTo(143);
      }
    }
  }

  /** Of the Service, as the Secret has it; the clients of this test trust it alone. */
  private void useNewCertificate() throws IOException {
    TestCertificate certificate =
        TestCertificate.of("dns:flow-asyncflow-server.jobs.svc,dns:localhost");
    Path file = certificate.writeCertificate(directory.resolve("tls.crt"));
    secrets.put("flowsvr-tls/tls.crt", Files.readString(file));
    secrets.put(
        "flowsvr-tls/tls.key",
        Files.readString(certificate.writeKey(directory.resolve("tls.key"))));
    SSLContext tls = TrustedRoots.in(file);
    http = HttpClient.newBuilder().sslContext(tls).build();
    admin = new HttpFlowClient(url("/"), ADMIN_KEY, START_PATIENCE, tls);
  }

  /** With what its pages load, and with a log-in. */
  private void theConsoleIsThere() throws Exception {
    HttpResponse<String> page = send(HttpRequest.newBuilder(url("/console/login")));
    assertThat(page.statusCode()).isEqualTo(200);
    Matcher style = STYLE_SHEET.matcher(page.body());
    assertThat(style.find()).isTrue();
    assertThat(send(HttpRequest.newBuilder(url(style.group(1)))).statusCode()).isEqualTo(200);
    HttpResponse<String> session =
        send(
            HttpRequest.newBuilder(url("/api/session"))
                .header("Authorization", "Bearer " + ADMIN_KEY)
                .POST(BodyPublishers.noBody()));
    assertThat(session.headers().firstValue("Set-Cookie")).get().asString().startsWith("__Host-");
  }

  /** So that it goes on to a server that the autoscaler has made meanwhile. */
  private void aBusyConnectionIsClosed() throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(url("/actuator/health/liveness"));
    boolean isClosed = false;
    for (int i = 0; i < 1_000 && !isClosed; i++) {
      isClosed = send(request).headers().allValues("Connection").contains("close");
    }
    assertThat(isClosed).isTrue();
  }

  private void theWorkerRuns(String taskId, Image image, JsonObject deployment) throws Exception {
    secrets.put("lark-worker/api-key", newKey("lark", "WORKER"));
    try (Pod pod = Pod.start(image, deployment, secrets, directory.resolve("worker"))) {
      await()
          .atMost(START_PATIENCE)
          .until(
              () -> {
                pod.requireAlive();
                return admin.getTask(taskId).taskStatus() == TaskStatus.SUCCESS;
              });
      int grace = at(deployment, "spec.template.spec.terminationGracePeriodSeconds").getAsInt();
      assertThat(pod.stop(Duration.ofSeconds(grace))).isEqualTo(143);
    }
  }

  /** Without a key, as the kubelet asks. */
  private void awaitProbes(Pod pod, JsonObject deployment) {
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      String path = text(Chart.containerOf(deployment), probe + ".httpGet.path");
      await(probe)
          .atMost(START_PATIENCE)
          .ignoreExceptionsInstanceOf(IOException.class)
          .until(
              () -> {
                pod.requireAlive();
                return send(HttpRequest.newBuilder(url(path)), Duration.ofSeconds(5)).statusCode()
                    == 200;
              });
    }
  }

  /** What KEDA would read, with the key that it has. */
  private List<Integer> dueAndExecuting(Chart chart, String key) throws Exception {
    JsonObject scaled = chart.one("ScaledObject", "-worker-lark");
    List<Integer> values = new ArrayList<>();
    for (JsonObject trigger : each(at(scaled, "spec.triggers")).toList()) {
      URI address = URI.create(text(trigger, "metadata.url"));
      HttpResponse<String> answer =
          send(
              HttpRequest.newBuilder(url(address.getPath()))
                  .header("Authorization", "Bearer " + key));
      assertThat(answer.statusCode()).isEqualTo(200);
      Matcher location = LOCATION.matcher(text(trigger, "metadata.valueLocation"));
      assertThat(location.matches()).isTrue();
      JsonObject type =
          each(at(JsonParser.parseString(answer.body()).getAsJsonObject(), "result.types"))
              .filter(one -> text(one, "taskType").equals(location.group(1)))
              .findFirst()
              .orElseThrow();
      values.add(at(type, location.group(2) + ".count").getAsInt());
    }
    return values;
  }

  private String newKey(String name, String role) {
    return admin.keys().create(NewKey.of(name, role).ofTypes("lark")).key();
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return send(request, Duration.ofSeconds(60));
  }

  private HttpResponse<String> send(HttpRequest.Builder request, Duration timeOut)
      throws Exception {
    return http.send(request.timeout(timeOut).build(), BodyHandlers.ofString());
  }

  private URI url(String path) {
    return URI.create("https://localhost:" + port + path);
  }
}
