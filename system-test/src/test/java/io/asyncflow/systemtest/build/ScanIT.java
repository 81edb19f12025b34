package io.asyncflow.systemtest.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code .ci/Scan.java} makes of what a feed of vulnerabilities answers. */
class ScanIT {

  private static final LocalDate TODAY = LocalDate.parse("2026-11-23");
  private static final String BATCH = "/v1/querybatch";
  private static final String SECOND_PAGE = BATCH + ", the second page";
  private static final String SBOM =
      """
      {"components":[
        {"purl":"pkg:maven/io.asyncflow/flow-api@0.1?type=jar"},
        {"purl":"pkg:maven/com.example/bad@1.0?type=jar"},
        {"purl":"pkg:maven/com.example/good@2.0?type=jar"}]}
      """;
  private static final String BAD_IS_KNOWN = "{'results':[{'vulns':[{'id':'GHSA-1'}]},{}]}";
  private static final String HIGH =
      "{'aliases':['CVE-1'],'summary':'Runs code.','database_specific':{'severity':'HIGH'}}";

  private static Method run;

  @TempDir Path directory;
  private HttpServer feed;
  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final Map<String, String> asked = new ConcurrentHashMap<>();
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @BeforeAll
  static void compile(@TempDir Path classes) throws Exception {
    String source = Path.of("..", ".ci", "Scan.java").toString();
    String output = classes.toString();
    String path = System.getProperty("java.class.path");
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-proc:none", "-cp", path, "-d", output, source);
    assertThat(status).isZero();
    run =
        URLClassLoader.newInstance(new URL[] {classes.toUri().toURL()})
            .loadClass("Scan")
            .getDeclaredMethod(
                "run", URI.class, Path.class, List.class, LocalDate.class, PrintStream.class);
    run.setAccessible(true);
  }

  @BeforeEach
  void startTheFeed() throws IOException {
    feed = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    feed.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          String path =
              body.contains("page_token") ? SECOND_PAGE : exchange.getRequestURI().getPath();
          asked.put(path, body);
          byte[] answer =
              answers.getOrDefault(path, "").replace('\'', '"').getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(answer.length == 0 ? 503 : 200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    feed.start();
  }

  @AfterEach
  void stopTheFeed() {
    feed.stop(0);
  }

  @Test
  void seriousVulnerabilityFailsTheBuild() throws Exception {
    answers.put(BATCH, BAD_IS_KNOWN);
    answers.put("/v1/vulns/GHSA-1", HIGH);

    assertThat(scan("")).isFalse();
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("NOT ACCEPTED: HIGH CVE-1 = GHSA-1 in pkg:maven/com.example/bad@1.0: Runs code.")
        .contains("Scan: 2 libraries, 1 known vulnerabilities, 1 of them serious");
    assertThat(asked.get(BATCH)).contains("good@2.0").doesNotContain("asyncflow");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'database_specific':{'severity':'CRITICAL'}}"})
  void unknownSeverityIsSerious(String vulnerability) throws Exception {
    answers.put(BATCH, BAD_IS_KNOWN);
    answers.put("/v1/vulns/GHSA-1", vulnerability);

    assertThat(scan("")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"LOW", "MODERATE"})
  void harmlessOneIsOnlyNamed(String severity) throws Exception {
    answers.put(BATCH, BAD_IS_KNOWN);
    answers.put("/v1/vulns/GHSA-1", HIGH.replace("HIGH", severity));

    assertThat(scan("")).isTrue();
    assertThat(said.toString(StandardCharsets.UTF_8)).contains(severity + " CVE-1");
  }

  @Test
  void acceptedOneIsNamedUntilItsLastDay() throws Exception {
    answers.put(BATCH, BAD_IS_KNOWN);
    answers.put("/v1/vulns/GHSA-1", HIGH);

    assertThat(scan("| CVE-1 | bad | is not called | 2026-11-23 |")).isTrue();
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("accepted: HIGH CVE-1", "0 of them serious");
    assertThat(scan("| CVE-1 | bad | is not called | 2026-11-22 |")).isFalse();
  }

  @Test
  void nothingIsAcceptedForMoreThanNinetyDays() throws Exception {
    answers.put(BATCH, BAD_IS_KNOWN);
    answers.put("/v1/vulns/GHSA-1", HIGH);

    assertThat(scan("| GHSA-1 | bad | is not called | 2027-02-21 |")).isTrue();
    assertThat(scan("| GHSA-1 | bad | is not called | 2027-02-22 |")).isFalse();
  }

  @Test
  void everyPageOfAnAnswerIsRead() throws Exception {
    answers.put(BATCH, "{'results':[{'next_page_token':'second'},{}]}");
    answers.put("/v1/vulns/GHSA-1", HIGH);
    answers.put(SECOND_PAGE, "{'results':[{'vulns':[{'id':'GHSA-1'}]}]}");

    assertThat(scan("")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "<html>Blocked</html>", "{'results':[{}]}"})
  void feedWithoutAnAnswerIsSaidAndFailsNothing(String answer) throws Exception {
    answers.put(BATCH, answer);

    assertThat(scan("")).isTrue();
    assertThat(said.toString(StandardCharsets.UTF_8))
        .startsWith("Scan not run: http://")
        .hasLineCount(1);
  }

  @Test
  void feedThatCannotBeReachedIsSaidAndFailsNothing() throws Exception {
    feed.stop(0);

    assertThat(scan("")).isTrue();
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("Scan not run", "2 libraries")
        .hasLineCount(1);
  }

  private boolean scan(String accepted) throws Exception {
    URI address = URI.create("http://127.0.0.1:" + feed.getAddress().getPort());
    Path rows = Files.writeString(directory.resolve("accepted.md"), accepted + "\n");
    Path sbom = Files.writeString(directory.resolve("application.cdx.json"), SBOM);
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    return (boolean) run.invoke(null, address, rows, List.of(sbom), TODAY, out);
  }
}
