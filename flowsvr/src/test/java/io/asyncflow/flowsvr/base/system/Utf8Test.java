package io.asyncflow.flowsvr.base.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "a\n", "\u007f\u0080é߿", "ࠀ中\uffff", "a😀b"})
  void lengthIsThatOfTheEncodedText(String text) {
    assertThat(Utf8.length(text)).isEqualTo(text == null ? 0 : text.getBytes(UTF_8).length);
  }
}
