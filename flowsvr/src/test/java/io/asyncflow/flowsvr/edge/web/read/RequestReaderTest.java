package io.asyncflow.flowsvr.edge.web.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.web.budget.Budget;
import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;

class RequestReaderTest {

  private static final int MIB = 1024 * 1024;

  private final Budget bodyBytes = new Budget("large bodies", 32 * MIB);
  private final MockHttpServletRequest request = new MockHttpServletRequest("POST", "/");

  private Fields read() {
    Exchange.of(request).isOf(new TestingAuthenticationToken("key", "key"));
    return RequestReader.read(request, bodyBytes);
  }

  @Test
  void bodyBeyondTheBudgetIsRefusedUntilAnotherIsAnswered() {
    MockHttpServletRequest other = new MockHttpServletRequest("POST", "/");
    Exchange.of(other).isOf(new TestingAuthenticationToken("key", "key"));
    Exchange.of(other).take(bodyBytes, 15 * MIB);
    String large = "{\"a\":\"" + "x".repeat(2 * MIB) + "\"}";
    body("application/json", large);

    FlowException refused = refusal();
    assertThat(refused.errorCode()).isEqualTo(ErrorCode.LIMIT_EXCEEDED);
    assertThat(refused.retryable()).isTrue();

    Exchange.of(other).leave();
    Exchange.of(request).leave();
    body("application/json", large);
    assertThat(read().text("a").value()).hasSize(2 * MIB);
  }

  @Test
  void smallBodyIsReadWhateverIsLeft() {
    Exchange.of(request).isOf(new TestingAuthenticationToken("key", "key"));
    Exchange.of(request).take(bodyBytes, 16 * MIB);
    body("application/json", "{\"a\":\"" + "x".repeat(60 * 1024) + "\"}");

    assertThat(read().text("a").value()).hasSize(60 * 1024);
  }

  @Test
  void nameThatBeginsWhatItNeverEndsCostsNoTime() {
    body("application/json", "{\"a\":1,\"a\":2}");
    refusal(); // loads what it takes to read one
    String name = "[Source: ".repeat(5_400);
    body("application/json", "{\"" + name + "\":1,\"" + name + "\":2}");

    FlowException refused = assertTimeoutPreemptively(Duration.ofSeconds(10), this::refusal);

    assertThat(refused.errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);
    assertThat(refused.getMessage()).hasSizeLessThan(400).doesNotContain("[Source");
  }

  @Test
  void queryFormAndJsonAreOneView() {
    request.setQueryString("task_type=lark&limit=5&taskData.user_id=u%20+1");
    assertThat(read().object("taskData").text("userId").value()).isEqualTo("u  1");

    body("application/x-www-form-urlencoded; charset=utf-8", "taskType=TTS&stages=a&stages=b");
    Fields in = read();
    assertThat(in.text("taskType").value()).isEqualTo("TTS");
    assertThat(in.number("limit").asInteger()).isEqualTo(5);
    assertThat(in.names("stages").values()).containsExactly("a", "b");

    body("application/json", "{\"taskType\":\"json\"}");
    assertThat(read().text("taskType").value()).isEqualTo("json");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "application/json; charset=UTF-8",
        "application/vnd.asyncflow+json",
        ""
      })
  void jsonIsTakenUnderTheseTypes(String contentType) {
    body(contentType.isEmpty() ? null : contentType, "{\"a\":\"ä\"}");
    assertThat(read().text("a").value()).isEqualTo("ä");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/json; charset=utf-16",
        "application/json; charset=nonsense",
        "nonsense",
        "application/"
      })
  void otherContentTypesAreMalformed(String contentType) {
    body(contentType, "{}");
    assertThat(refusal().errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{\"a\":}",
        "{\"a\":1,}",
        "{'a':1}",
        "{\"a\":1} {\"b\":2}",
        "{\"a\":1,\"a\":2}",
        "[]",
        "null",
        "7",
        "\"x\"",
        " ",
        "{\"a\":NaN}",
        "{\"a\":01}",
        "{\"a\":\"\n\"}",
        "\u0000"
      })
  void otherJsonIsMalformed(String json) {
    body("application/json", json);
    assertThat(refusal().errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "C3", // a half
        "80",
        "C0AF", // overlong forms of a slash
        "E080AF",
        "F08080AF",
        "C080", // NUL, as Java's own modified UTF-8 has it
        "EDA080", // a surrogate
        "EDA080EDB080",
        "F4908080", // beyond the last character
        "F8888080AF",
        "FE",
        "FF"
      })
  void invalidUtf8IsMalformed(String hex) {
    byte[] bad = HexFormat.of().parseHex(hex);
    for (int before : new int[] {0, 4_090, 4_095}) { // also where a piece of the decoding ends
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      body.writeBytes(("{\"a\":\"" + "x".repeat(before)).getBytes(StandardCharsets.UTF_8));
      body.writeBytes(bad);
      body.writeBytes("\"}".getBytes(StandardCharsets.UTF_8));
      request.setContentType("application/json");
      request.setContent(body.toByteArray());

      FlowException refusal = refusal();
      assertThat(refusal.errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);
      assertThat(refusal).hasMessageContaining("not UTF-8, at byte " + (before + 6));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16LE", "UTF-16BE", "UTF-16", "UTF-32LE", "UTF-32BE"})
  void otherEncodingsAreMalformedSaidOrNot(String charset) {
    byte[] body = "{\"a\":\"b\"}".getBytes(Charset.forName(charset));
    request.setContentType("application/json");
    request.setContent(body);
    assertThat(refusal().errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);

    request.setContent(body);
    request.setContentType("application/json; charset=" + charset);
    assertThat(refusal().errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);
  }

  @Test
  void byteOrderMarkBeforeJsonIsSkipped() {
    body("application/json", "\uFEFF{\"a\":\"b\"}");
    assertThat(read().text("a").value()).isEqualTo("b");
  }

  @Test
  void everyCharacterOfUtf8IsTaken() {
    String all = "é€中😀\uFFFD\uFFFE\u2028\uFEFF".repeat(2_000);
    body("application/json", "{\"a\":\"" + all + "\"}");
    assertThat(read().text("a").value()).isEqualTo(all);
  }

  @Test
  void jsonMayBeNestedThirtyTwoDeep() {
    body("application/json", "{\"a\":" + "[".repeat(31) + "]".repeat(31) + "}");
    read();

    body("application/json", "{\"a\":" + "[".repeat(32) + "]".repeat(32) + "}");
    assertThat(refusal().errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);

    body("application/json", "[".repeat(1_000_000));
    assertThat(refusal().errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);
  }

  @Test
  void smallBodyOfManyValuesIsRefusedBeforeItFillsTheMemory() {
    body("application/json", "{\"a\":[" + "[],".repeat(1_000_000) + "0]}");
    assertThat(refusal().errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);
  }

  @Test
  void bodyMayHaveSixteenMebibytes() {
    String frame = "{\"a\":\"\"}";
    String filler = "x".repeat(RequestReader.MAX_BODY_BYTES - frame.length());
    body("application/json", "{\"a\":\"" + filler + "\"}");
    assertThat(read().text("a").value()).hasSameSizeAs(filler);

    body("application/json", "{\"a\":\"" + filler + "x\"}");
    assertThat(refusal().errorCode()).isEqualTo(ErrorCode.TOO_LARGE);
  }

  @ParameterizedTest
  @CsvSource({
    "a=%, 8020",
    "a=%4, 8020",
    "a=%zz, 8020",
    "a=%C3, 8020",
    "a=%ED%A0%80, 8020",
    "a=%C0%AF, 8020",
    "a=%E0%80%AF, 8020",
    "%C0%AE=1, 8020",
    "a=1&a.b=2, 8020",
    "a.b=1&a=2, 8020"
  })
  void unreadableQueryIsInvalidAndUnreadableFormMalformed(String text, int codeInQuery) {
    request.setQueryString(text);
    assertThat(refusal().errorCode().code()).isEqualTo(codeInQuery);

    request.setQueryString(null);
    body("application/x-www-form-urlencoded", text);
    assertThat(refusal().errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);
  }

  @Test
  void formHasAMeasure() {
    body("application/x-www-form-urlencoded", "a=1&".repeat(1_001));
    assertThat(refusal().errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);

    body("application/x-www-form-urlencoded", ".a".repeat(33) + "=1");
    assertThat(refusal().errorCode()).isEqualTo(ErrorCode.MALFORMED_BODY);
  }

  @Test
  void jsonSentAsAFormIsExplained() {
    body("application/x-www-form-urlencoded", "{\"taskType\":\"lark\"}");
    assertThat(refusal().getMessage()).contains("looks like JSON");
  }

  @Test
  void emptyFieldsOfAQueryAreThere() {
    request.setQueryString("&a=&b&&c=1=2");
    Fields in = read();

    assertThat(in.text("a").value()).isEmpty();
    assertThat(in.text("b").value()).isEmpty();
    assertThat(in.text("c").value()).isEqualTo("1=2");
  }

  private void body(String contentType, String body) {
    request.setContentType(contentType);
    request.setContent(body.getBytes(StandardCharsets.UTF_8));
  }

  private FlowException refusal() {
    return catchThrowableOfType(FlowException.class, this::read);
  }
}
