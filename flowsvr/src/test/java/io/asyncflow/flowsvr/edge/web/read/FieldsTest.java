package io.asyncflow.flowsvr.edge.web.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class FieldsTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Test
  void snakeCaseAndCamelCaseAreOneName() {
    assertThat(fields("{'user_id':'a'}").text("userId").value()).isEqualTo("a");
    assertThat(fields("{'userId':'a'}").text("userId").value()).isEqualTo("a");
    assertThat(fields("{'crt_retry_num':3}").number("crtRetryNum").asInteger()).isEqualTo(3);
  }

  @Test
  void camelCaseWinsOverSnakeCaseInWhateverOrder() {
    assertThat(fields("{'userId':'camel','user_id':'snake'}").text("userId").value())
        .isEqualTo("camel");
    assertThat(fields("{'user_id':'snake','userId':'camel'}").text("userId").value())
        .isEqualTo("camel");
  }

  @Test
  void laterSourceWinsWhateverItsSpelling() {
    Fields in = Fields.of(List.of(json("{'userId':'query','limit':'5'}"), json("{'user_id':'b'}")));

    assertThat(in.text("userId").value()).isEqualTo("b");
    assertThat(in.number("limit").asInteger()).isEqualTo(5);
  }

  @Test
  void translationIsReadInPlaceOfWhatWasSent() {
    Fields in = fields("{'limit':'5000','user_id':'bob','status':1}");
    in.translate(
        sent -> {
          sent.put("user_name", sent.remove("userId").asString());
          sent.remove("status");
          return sent.put("limit", sent.get("limit").asLong() / 5);
        });

    assertThat(in.number("limit").between(1, 1000).asInteger()).isEqualTo(1000);
    assertThat(in.text("userName").value()).isEqualTo("bob");
    assertThat(in.has("status")).isFalse();
    assertThat(in.has("userId")).isFalse();
    assertThat(errors(in)).isEmpty();
  }

  @Test
  void roomierTextMayBeLongerAlsoInObjects() {
    Fields in = fields("{'text':'12345','part':{'text':'12345','other':'12345'}}");
    in.allowBytes("text", 5);
    Fields part = in.object("part");
    in.text("text").maxBytes(4);
    part.text("text").maxBytes(4);
    part.text("other").maxBytes(4);

    assertThat(errors(in)).containsExactly("part.other must be at most 4 bytes of UTF-8 long");
    Fields longer = fields("{'text':'123456'}");
    longer.allowBytes("text", 5);
    longer.text("text").maxBytes(4);
    assertThat(errors(longer)).containsExactly("text must be at most 5 bytes of UTF-8 long");
  }

  @Test
  void everyBadFieldIsNamedAtOnceWithItsPath() {
    Fields in = fields("{'taskDataList':[{},{'user_id':'u','priority':'high'},7]}");
    for (Fields item : in.objects("taskDataList", 1, 10)) {
      item.text("userId").required();
      item.number("priority").between(0, 10);
    }

    assertThatThrownBy(in::refuseIfBad)
        .isInstanceOfSatisfying(
            FlowException.class,
            e -> {
              assertThat(e.errorCode()).isEqualTo(ErrorCode.INVALID_INPUT);
              assertThat(e.errors())
                  .containsExactly(
                      new FieldError("taskDataList[0].userId", "is required"),
                      new FieldError("taskDataList[1].priority", "must be a whole number"),
                      new FieldError("taskDataList[2]", "must be an object"));
              assertThat(e.getMessage()).contains("taskDataList[0].userId is required");
            });
  }

  @Test
  void fieldHasOneErrorAtMost() {
    Fields in = fields("{'userId':''}");
    in.text("userId").required().name().max(3);

    assertThat(errors(in)).containsExactly("userId must not be empty");
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "'7'", "'007'"})
  void digitsInATextAreAWholeNumber(String value) {
    assertThat(fields("{'limit':" + value + "}").number("limit").asInteger()).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.5",
        "'1.5'",
        "'abc'",
        "' 1'",
        "'+1'",
        "true",
        "[1]",
        "{}",
        "1e3",
        "9223372036854775808",
        "'9223372036854775808'",
        "'99999999999999999999999'",
        "'\\u0661'"
      })
  void anythingElseIsNone(String value) {
    Fields in = fields("{'limit':" + value + "}");
    assertThat(in.number("limit").asLong()).isNull();
    assertThat(errors(in)).containsExactly("limit must be a whole number");
  }

  @Test
  void numberOutsideItsRangeIsRefused() {
    Fields in = fields("{'limit':1001,'epoch':2147483648,'delayMs':2147483648}");

    in.number("limit").between(1, 1000);
    in.number("epoch").asInteger();
    assertThat(in.number("delayMs").asLong()).isEqualTo(2147483648L);

    assertThat(errors(in))
        .containsExactly(
            "limit must be between 1 and 1000", "epoch must be between -2147483648 and 2147483647");
  }

  @Test
  void emptyTextIsNoNumber() {
    Fields in = fields("{'limit':''}");

    assertThat(in.number("limit").or(100)).isEqualTo(100);
    assertThat(errors(in)).isEmpty();
  }

  @Test
  void textMayComeAsAnInteger() {
    assertThat(fields("{'userId':42}").text("userId").value()).isEqualTo("42");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.5", "true", "[]", "{}", "['a']"})
  void anythingElseIsNoText(String value) {
    Fields in = fields("{'userId':" + value + "}");
    in.text("userId");
    assertThat(errors(in)).containsExactly("userId must be a text");
  }

  @Test
  void textMustBeUnicodeWithoutNul() {
    Fields in = fields("{'a':'x\\u0000y','b':'\\ud800','c':'\\udc00\\ud800','d':'\\ud83d\\ude00'}");
    in.text("a");
    in.text("b");
    in.text("c");

    assertThat(in.text("d").value()).isEqualTo("😀");
    assertThat(errors(in))
        .containsExactly(
            "a must not contain the character NUL",
            "b is not valid Unicode",
            "c is not valid Unicode");
  }

  @ParameterizedTest
  @ValueSource(strings = {"failed", "abc", "64", "-1", "8,x"})
  void statusThatThereIsNotIsToldWhichThereAre(String status) {
    Fields in = fields("{'status':'" + status + "'}");
    assertThat(StatusBits.read(in, "status")).isEmpty();
    assertThat(errors(in))
        .singleElement()
        .asString()
        .startsWith("status must be one of 1 (WAITING), 2 (EXECUTING), ");
  }

  @Test
  void lengthIsCountedAsTheDatabaseCounts() {
    Fields in = fields("{'a':'😀😀','b':'😀😀','c':'éé'}");
    assertThat(in.text("a").max(2).value()).isEqualTo("😀😀");
    in.text("b").max(1);
    in.text("c").maxBytes(3);

    assertThat(errors(in))
        .containsExactly(
            "b must be at most 1 characters long", "c must be at most 3 bytes of UTF-8 long");
  }

  @Test
  void onlySizesMakeARequestTooLarge() {
    Fields large = fields("{'c':'éé'}");
    large.text("c").maxBytes(3);
    assertThat(large.refusal().orElseThrow().errorCode()).isEqualTo(ErrorCode.TOO_LARGE);

    Fields both = fields("{'c':'éé'}");
    both.text("c").maxBytes(3);
    both.text("userId").required();
    assertThat(both.refusal().orElseThrow().errorCode()).isEqualTo(ErrorCode.INVALID_INPUT);
  }

  @Test
  void nameHasNothingInvisibleInIt() {
    Fields in = fields("{'a':'x\\ny','b':' x','c':'x ','d':'x y'}");
    in.text("a").name();
    in.text("b").name();
    in.text("c").name();

    assertThat(in.text("d").name().value()).isEqualTo("x y");
    assertThat(errors(in))
        .containsExactly(
            "a must not contain control characters",
            "b must not begin or end with white space",
            "c must not begin or end with white space");
  }

  @Test
  void namesComeWithCommasOrAsAList() {
    assertThat(fields("{'stages':'a, b,,a'}").names("stages").values()).containsExactly("a", "b");
    assertThat(fields("{'stages':['a','b,c']}").names("stages").values())
        .containsExactly("a", "b,c");
    assertThat(fields("{'stages':''}").names("stages").values()).isEmpty();
    assertThat(fields("{'stages':3}").names("stages").values()).containsExactly("3");
    assertThat(fields("{}").names("stages").values()).isEmpty();
  }

  @Test
  void badNamesAreRefused() {
    Fields in = fields("{'a':[null],'b':{},'c':['xx'],'d':['x','y'],'e':['']}");
    in.names("a");
    in.names("b");
    in.names("c").max(5, 1);
    in.names("d").max(1, 5);
    in.names("e").max(5, 5);

    assertThat(in.refusal().orElseThrow().errors())
        .extracting(FieldError::field)
        .containsExactly("a", "b", "c", "d", "e");
  }

  @Test
  void separateItemsDoNotSpoilTheirFellows() {
    Fields in = fields("{'reports':[{'taskId':'x'},{},7]}");
    List<Fields> items = in.separateObjects("reports", 1, 3);
    items.forEach(item -> item.text("taskId").required());

    in.refuseIfBad();
    assertThat(items.get(0).refusal()).isEmpty();
    assertThat(items.get(1).refusal()).isPresent();
    assertThat(items.get(2).refusal().orElseThrow().errors())
        .containsExactly(new FieldError("reports[2]", "must be an object"));
  }

  @Test
  void listHasAMeasure() {
    Fields in = fields("{'a':[],'b':[{},{},{}],'c':'x','e':[]}");
    in.objects("a", 1, 2);
    in.objects("b", 1, 2);
    in.objects("c", 1, 2);
    in.objects("d", 1, 2);
    in.objects("e", 0, 2);
    in.objects("f", 0, 2);

    assertThat(errors(in))
        .containsExactly(
            "a must have 1 to 2 items, not 0",
            "b must have 1 to 2 items, not 3",
            "c must be a list of objects",
            "d is required");
  }

  @Test
  void missingObjectIsAnEmptyOne() {
    Fields in = fields("{}");
    in.object("taskData").text("userId").required();

    assertThat(errors(in)).containsExactly("taskData.userId is required");
  }

  @Test
  void whatIsNoObjectIsSaidOnce() {
    Fields in = fields("{'taskData':'x'}");
    in.object("taskData").text("userId").required();

    assertThat(errors(in)).containsExactly("taskData must be an object");
  }

  @Test
  void unknownFieldsAreNamedAsTheyWereSpelled() {
    Fields in = fields("{'task_type':'x','scheduel_limit':1}").inSnakeCase();
    in.number("scheduleLimit").required();
    in.refuseUnknown(Set.of("taskType", "scheduleLimit"));

    assertThat(errors(in))
        .containsExactly("schedule_limit is required", "scheduel_limit is unknown");
  }

  @Test
  void nullIsAbsentButCanBeTold() {
    Fields in = fields("{'a':null,'b':''}");

    assertThat(in.has("a")).isFalse();
    assertThat(in.text("a").value()).isNull();
    assertThat(in.isNull("a")).isTrue();
    assertThat(in.isNull("b")).isTrue();
    assertThat(in.isNull("c")).isFalse();
  }

  @Test
  void parsedTextMustSpellSomething() {
    Fields in = fields("{'a':'yes','b':'no'}");
    Function<String, Optional<Integer>> yes =
        text -> Optional.of(1).filter(x -> text.equals("yes"));
    assertThat(in.text("a").as(yes, "is none")).isEqualTo(1);
    assertThat(in.text("b").as(yes, "is none")).isNull();
    assertThat(errors(in)).containsExactly("b is none");
  }

  @Test
  void manyErrorsAreToldUpToAMeasure() {
    Fields in = fields("{}");
    for (int i = 0; i < 500; i++) {
      in.text("f" + i).required();
    }
    FlowException refusal = in.refusal().orElseThrow();

    assertThat(refusal.errors()).hasSize(100);
    assertThat(refusal.getMessage()).endsWith("; and 497 more");
  }

  private static Fields fields(String json) {
    return Fields.of(List.of(json(json)));
  }

  private static ObjectNode json(String json) {
    return (ObjectNode) JSON.readTree(json.replace('\'', '"'));
  }

  private static List<String> errors(Fields in) {
    return in.refusal()
        .map(e -> e.errors().stream().map(x -> x.field() + " " + x.message()).toList())
        .orElse(List.of());
  }
}
