package io.asyncflow.worker.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Both read and write alike what has no annotation of one of them. */
class JsonTextTest {

  enum Size {
    SMALL,
    LARGE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  record Part(String name, Size size) {}

  record Order(
      @JsonProperty("order_id") UUID id,
      String zone,
      Part[] parts,
      List<Part> more,
      Map<String, Double> prices,
      Optional<String> note,
      Optional<String> none,
      Instant at,
      LocalDate day,
      Duration pause,
      URI page,
      byte[] seal,
      char mark,
      Long big,
      boolean urgent,
      Integer limit) {}

  /** Fields that a handler's class may have in place of a record's components. */
  public static class Bean {
    private String first;
    public int second;

    public String getFirst() {
      return first;
    }

    public void setFirst(String value) {
      first = value;
    }
  }

  static class Empty {}

  private static final Order ORDER =
      new Order(
          new UUID(1, 2),
          "Zürich \uD83D\uDE00 </script>",
          new Part[] {new Part("a\"b", Size.SMALL)},
          List.of(new Part(null, Size.LARGE)),
          new LinkedHashMap<>(Map.of("z", 1.5)),
          Optional.of("n"),
          Optional.empty(),
          Instant.parse("2026-11-23T10:00:00.123456789Z"),
          LocalDate.of(2026, 11, 23),
          Duration.ofSeconds(90),
          URI.create("http://localhost/a?b=c"),
          new byte[] {0, 1, (byte) 255},
          'x',
          Long.MAX_VALUE,
          true,
          null);

  static List<JsonText> both() {
    return List.of(new Jackson2Text(), new Jackson3Text());
  }

  @Test
  void bothWriteTheSame() throws JsonText.UnfitException {
    Bean bean = new Bean();
    bean.setFirst("f");
    for (Object value : List.of(ORDER, bean, new Empty(), List.of(1, "two"), Size.LARGE, 2.0)) {
      assertThat(new Jackson2Text().write(value)).isEqualTo(new Jackson3Text().write(value));
    }
  }

  @ParameterizedTest
  @MethodSource("both")
  void readsWhatItWrites(JsonText json) throws JsonText.UnfitException {
    assertThat(json.read(json.write(ORDER), Order.class))
        .usingRecursiveComparison()
        .isEqualTo(ORDER);
  }

  @ParameterizedTest
  @MethodSource("both")
  void missingAndFurtherMembersAreNoError(JsonText json) throws JsonText.UnfitException {
    Order order = (Order) json.read("{\"zone\":\"x\",\"later\":[1],\"urgent\":null}", Order.class);
    assertThat(order.zone()).isEqualTo("x");
    assertThat(order.urgent()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("both")
  void whatIsNotOfTheTypeIsUnfit(JsonText json) {
    for (String text : List.of("{\"urgent\":\"maybe\"}", "{} {}", "{", "[]")) {
      assertThatExceptionOfType(JsonText.UnfitException.class)
          .as(text)
          .isThrownBy(() -> json.read(text, Order.class));
    }
  }

  @ParameterizedTest
  @MethodSource("both")
  void whatIsNoJsonIsKnownAtAnyDepth(JsonText json) {
    for (String text :
        List.of(
            "{\"more\":[{\"name\":\"a\",\"size\":\"sm",
            "{\"more\":[{\"name\":tru}]}",
            "{\"prices\":{\"z\":1.5",
            "{\"order_id\":\"0",
            "{} x",
            "{} {}")) {
      assertThatExceptionOfType(JsonText.UnfitException.class)
          .as(text)
          .isThrownBy(() -> json.read(text, Order.class))
          .matches(e -> !e.isJson(), "is no JSON");
    }
  }

  @ParameterizedTest
  @MethodSource("both")
  void aTimeKeepsItsOffset(JsonText json) throws JsonText.UnfitException {
    ZonedDateTime time = ZonedDateTime.parse("2026-10-25T02:30:00+01:00[Europe/Berlin]");
    assertThat(json.read(json.write(time), ZonedDateTime.class))
        .as("and not the name of its zone")
        .isEqualTo(ZonedDateTime.parse("2026-10-25T02:30:00+01:00"));
    OffsetDateTime offset = time.toOffsetDateTime();
    assertThat(json.read(json.write(offset), OffsetDateTime.class)).isEqualTo(offset);
  }

  @Test
  void jackson3IsTakenWhereItWorks() {
    assertThat(JsonText.ofTheApplication()).isInstanceOf(Jackson3Text.class);
  }
}
