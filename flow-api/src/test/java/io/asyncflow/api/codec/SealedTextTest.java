package io.asyncflow.api.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.StoreKey;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SealedTextTest {

  private static final StoreKey KEY = new StoreKey("7_lark_task_1", "render", 2, "page.png");

  @Test
  void isReadAsItWasWritten() {
    for (List<StoreKey> objects : List.of(List.<StoreKey>of(), List.of(KEY))) {
      SealedText text = new SealedText("tink1", 4_294_967_295L, "QUJD-_w", objects);
      assertThat(SealedText.parse(text.toString())).contains(text);
      assertThat(SealedText.isSealed(text.toString())).isTrue();
    }
    assertThat(new SealedText("tink1", 7, "QUJD", List.of()))
        .hasToString("{\"$sealed\":\"tink1\",\"key\":7,\"data\":\"QUJD\"}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "plain",
        "{\"$stored\":\"7_lark_task_1/render/2/_context\",\"bytes\":5000}",
        " {\"$sealed\":\"tink1\",\"key\":7,\"data\":\"QUJD\"}",
        "{\"sealed\":\"tink1\"}"
      })
  void otherTextsAreNotSealed(String text) {
    assertThat(SealedText.isSealed(text)).isFalse();
    assertThat(SealedText.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"$sealed\":\"tink1\"}",
        "{\"$sealed\":\"tink1\",\"key\":-7,\"data\":\"QUJD\"}",
        "{\"$sealed\":\"tink1\",\"key\":7,\"data\":\"\"}",
        "{\"$sealed\":\"tink1\",\"key\":7,\"data\":\"QUJD\"} and more"
      })
  void whatOnlyBeginsLikeOneIsTakenForSealedButNotRead(String text) {
    assertThat(SealedText.isSealed(text)).isTrue();
    assertThat(SealedText.parse(text)).isEmpty();
  }

  @Test
  void theLargestTextIsReadWithoutRecursion() {
    String data = "A".repeat(16 << 20);
    assertThat(SealedText.parse(new SealedText("tink1", 7, data, List.of()).toString()))
        .hasValueSatisfying(text -> assertThat(text.data()).hasSameSizeAs(data));
  }
}
