package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.BareAnswer;
import io.asyncflow.flowsvr.RunningServer;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;

/** What an answer lets a browser do with it. */
@RunningServer
class AnswerHeadersIT {

  @LocalServerPort int port;
  private Wire wire;

  @BeforeEach
  void connect() {
    wire = new Wire(port);
  }

  private HttpResponse<String> get(String path) throws Exception {
    return HttpClient.newHttpClient().send(wire.request(path).build(), BodyHandlers.ofString());
  }

  private static String header(HttpHeaders headers, String name) {
    return String.join(" | ", headers.allValues(name));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/task_schedule_cfg/list",
        "/api/task/getTask",
        "/api/store/1_lark_task_1/s/1/x",
        "/api//x",
        "/api/job/progress?jobId=1",
        "/api/event/list",
        "/nowhere",
        "/v3/api-docs",
        "/actuator/health",
        "/actuator/prometheus",
        "/actuator/sbom"
      })
  void answerIsNothingToABrowser(String path) throws Exception {
    HttpHeaders headers = get(path).headers();

    assertThat(header(headers, "X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(header(headers, "Cross-Origin-Resource-Policy")).isEqualTo("same-origin");
    assertThat(header(headers, "Cache-Control")).isEqualTo("no-store");
    assertThat(header(headers, "Content-Security-Policy"))
        .isEqualTo("default-src 'none'; frame-ancestors 'none'");
  }

  @Test
  void inputOfAJobIsNoPageWhateverItSays() throws Exception {
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'paged'}");
    String created =
        wire.post(
                "/api/job/createJob",
                "{'jobData':{'userId':'u','jobType':'paged','jobInput':'<script>1</script>'}}")
            .result()
            .path("jobId")
            .asString();

    HttpResponse<String> input = get("/api/job/getJobInput?jobId=" + created);

    assertThat(input.body()).isEqualTo("<script>1</script>");
    assertThat(header(input.headers(), BareAnswer.BYTES)).isEqualTo("18");
    assertThat(header(input.headers(), "X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(header(input.headers(), "Content-Security-Policy")).startsWith("default-src 'none'");
  }

  /** Its policy lets no script in that stands in the page itself, so there must be none. */
  @Test
  void pageToTryTheApiRunsItsOwnScriptsAndIsNotFramed() throws Exception {
    HttpResponse<String> page = get("/swagger-ui/index.html");

    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(header(page.headers(), "Content-Security-Policy"))
        .isEqualTo(
            "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
                + " frame-ancestors 'none'");
    assertThat(header(page.headers(), "X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(Pattern.compile("<script(?![^>]*\\bsrc=)").matcher(page.body()).find()).isFalse();
    assertThat(get("/swagger-ui/swagger-initializer.js").body()).contains("/v3/api-docs");
  }
}
