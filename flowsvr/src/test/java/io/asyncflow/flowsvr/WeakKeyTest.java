package io.asyncflow.flowsvr;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WeakKeyTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "k3y",
        "0123456789abcde",
        "aaaaaaaaaaaaaaaaaaaaaaaa",
        "abababababababababababab",
        "changemechangeme",
        "Change-Me-Change-Me",
        "changeme12345678",
        "default_token_123",
        "secretsecretsecret",
        "my-secret-password",
        "asyncflow-api-key",
        "asyncflowasyncflow",
        "correct-horse-battery-staple",
        "test-0f3c1a92e5b84d67",
        "administrator-key-1",
        "xxxxxxxx-xxxx-yyyy-zzzz",
        "<your key goes here>",
        "<0f3c1a92e5b84d67>",
        "${FLOW_API_KEY_SECRET}",
        "{{ flow.apiKey.value }}"
      })
  void whatAnybodyWouldTryIsWeak(String key) {
    assertThat(WeakKey.isWeak(key)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0f3c1a92e5b84d67",
        "d41d8cd98f00b2e9800998ecf8427e4a",
        "72057594037927936314159265358979",
        "asyncflow-0f3c1a92e5b84d67",
        "aBcD+/eFgHiJkLmNoPqRsTuVwXyZ0123456789=="
      })
  void whatIsDrawnByChanceIsNot(String key) {
    assertThat(WeakKey.isWeak(key)).isFalse();
  }
}
