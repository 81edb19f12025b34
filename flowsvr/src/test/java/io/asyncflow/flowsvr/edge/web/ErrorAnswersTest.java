package io.asyncflow.flowsvr.edge.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.web.error.ApiError;
import io.asyncflow.flowsvr.edge.web.error.ApiErrorWriter;
import java.io.EOFException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ErrorAnswersTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final MockHttpServletRequest request =
      new MockHttpServletRequest("POST", "/api/task/createTask");
  private final MockHttpServletResponse response = new MockHttpServletResponse();
  private final Logger logger = (Logger) LoggerFactory.getLogger(ErrorAnswers.class);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  @BeforeEach
  void listen() {
    logged.start();
    logger.addAppender(logged);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(logged);
  }

  @Test
  void bugIsA500WithATraceIdAndNoDetails() throws Exception {
    request.addHeader("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");

    JsonNode body = answer(new IllegalStateException("table t_secret is gone"));

    assertThat(response.getStatus()).isEqualTo(500);
    assertThat(body.path("code").asInt()).isEqualTo(8099);
    assertThat(body.path("traceId").asString()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
    assertThat(response.getHeader("X-Trace-Id")).isEqualTo("0af7651916cd43dd8448eb211c80319c");
    assertThat(body.path("retryable").asBoolean()).isFalse();
    assertThat(response.getContentAsString())
        .doesNotContain("t_secret")
        .doesNotContain("IllegalStateException")
        .doesNotContain("at io.asyncflow");
    assertThat(logged.list).hasSize(1);
    assertThat(logged.list.get(0).getLevel()).isEqualTo(Level.ERROR);
    assertThat(logged.list.get(0).getThrowableProxy()).isNotNull();
  }

  @Test
  void bodyServesBothKindsOfClient() throws Exception {
    JsonNode body =
        answer(
            new FlowException(
                ErrorCode.INVALID_INPUT,
                "userId is required",
                List.of(new FieldError("userId", "is required")),
                null));

    assertThat(response.getStatus()).isEqualTo(400);
    assertThat(response.getContentType()).isEqualTo("application/json");
    assertThat(body.propertyNames())
        .containsExactly(
            "msg",
            "code",
            "result",
            "type",
            "title",
            "status",
            "detail",
            "instance",
            "traceId",
            "retryable",
            "errors");
    assertThat(body.path("msg").asString()).isEqualTo("userId is required");
    assertThat(body.path("detail").asString()).isEqualTo("userId is required");
    assertThat(body.path("result").isNull()).isTrue();
    assertThat(body.path("type").asString()).isEqualTo("urn:asyncflow:error:8020");
    assertThat(body.path("title").asString()).isEqualTo("Invalid input");
    assertThat(body.path("status").asInt()).isEqualTo(400);
    assertThat(body.path("instance").asString()).isEqualTo("/api/task/createTask");
    assertThat(body.path("traceId").asString()).matches("[0-9a-f]{32}");
    assertThat(body.at("/errors/0/field").asString()).isEqualTo("userId");
    assertThat(logged.list.get(0).getLevel()).isEqualTo(Level.INFO);
    assertThat(logged.list.get(0).getThrowableProxy()).isNull();
  }

  @Test
  void unavailabilitySaysWhenToComeBack() throws Exception {
    JsonNode body = answer(new CannotGetJdbcConnectionException("none free"));

    assertThat(response.getStatus()).isEqualTo(503);
    assertThat(response.getHeader("Retry-After")).isEqualTo("1");
    assertThat(body.path("code").asInt()).isEqualTo(8090);
    assertThat(body.path("retryable").asBoolean()).isTrue();
    assertThat(body.has("outcomeUnknown")).isFalse();
  }

  @Test
  void unknownOutcomesAreSaidToBeSo() throws Exception {
    JsonNode body = answer(new QueryTimeoutException("slow"));

    assertThat(body.path("code").asInt()).isEqualTo(8090);
    assertThat(body.path("outcomeUnknown").asBoolean()).isTrue();
  }

  @Test
  void limitSaysWhenToComeBack() throws Exception {
    answer(new FlowException(ErrorCode.LIMIT_EXCEEDED, "too many"));
    assertThat(response.getStatus()).isEqualTo(429);
    assertThat(response.getHeader("Retry-After")).isEqualTo("1");
  }

  @Test
  void wrongMethodNamesTheRightOnes() throws Exception {
    answer(new HttpRequestMethodNotSupportedException("GET", List.of("POST")));
    assertThat(response.getStatus()).isEqualTo(405);
    assertThat(response.getHeader("Allow")).isEqualTo("POST");
    assertThat(response.getContentAsString()).contains("does not take GET, but POST");
  }

  @Test
  void problemTypeIsForWhoAsksForIt() throws Exception {
    request.addHeader("Accept", "text/html, application/problem+json;q=0.5");
    answer(new FlowException(ErrorCode.NO_SUCH_TASK, "none"));
    assertThat(response.getContentType()).isEqualTo("application/problem+json");
  }

  @Test
  void problemTypeIsNotForEverybody() throws Exception {
    for (String accept : List.of("*/*", "application/*", "application/problem+json;q=0", "%%")) {
      MockHttpServletRequest asked = new MockHttpServletRequest("GET", "/");
      asked.addHeader("Accept", accept);
      MockHttpServletResponse answered = new MockHttpServletResponse();
      ApiErrorWriter.write(asked, answered, ApiError.ofStatus(404));
      assertThat(answered.getContentType()).as(accept).isEqualTo("application/json");
    }
  }

  @Test
  void clientThatIsGoneIsNoNews() throws Exception {
    new ErrorAnswers()
        .answer(new AsyncRequestNotUsableException("x", new IOException()), request, response);
    assertThat(logged.list).hasSize(1);
    assertThat(logged.list.get(0).getLevel()).isEqualTo(Level.INFO);
    assertThat(logged.list.get(0).getThrowableProxy()).isNull();
  }

  @Test
  void databaseThatHangsUpIsNotTakenForTheClient() throws Exception {
    SQLException hungUp = new SQLException("link failure", "08S01", new EOFException());

    JsonNode body = answer(new DataAccessResourceFailureException("UPDATE", hungUp));

    assertThat(response.getStatus()).isEqualTo(503);
    assertThat(body.path("code").asInt()).isEqualTo(8090);
    assertThat(body.path("outcomeUnknown").asBoolean()).isTrue();
  }

  private JsonNode answer(Exception failure) throws IOException {
    new ErrorAnswers().answer(failure, request, response);
    return JSON.readTree(response.getContentAsByteArray());
  }
}
