package io.asyncflow.rules.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AccessKeyTest {

  /** Recorded, so that keys that were given away stay keys. */
  private static final String RECORDED =
      "afk_0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq1GRpxR";

  @Test
  void aKeyIsOneWordThatScannersFind() {
    for (int i = 0; i < 100; i++) {
      String text = AccessKey.random().text();
      assertThat(text).hasSize(64).matches("\\bafk_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}\\b");
      assertThat(AccessKey.parse(text).orElseThrow().text()).isEqualTo(text);
    }
  }

  @Test
  void theChecksumIsTheOneThatWasPublished() {
    AccessKey key = new AccessKey("0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq");
    assertThat(key.text()).isEqualTo(RECORDED);
    assertThat(AccessKey.parse(RECORDED)).contains(key);
  }

  @Test
  void everyChangedCharacterIsNoticed() {
    String text = AccessKey.random().text();
    for (int i = 0; i < text.length(); i++) {
      char other = text.charAt(i) == 'x' ? 'y' : 'x';
      assertThat(AccessKey.parse(text.substring(0, i) + other + text.substring(i + 1))).isEmpty();
    }
    assertThat(AccessKey.parse(text + "x")).isEmpty();
    assertThat(AccessKey.parse(text.substring(1))).isEmpty();
    assertThat(AccessKey.parse("")).isEmpty();
    assertThat(AccessKey.parse("ſ".repeat(64))).isEmpty();
  }

  @Test
  void theHashIsThatOfTheSecretAlone() {
    AccessKey key = AccessKey.random();
    assertThat(new AccessKey("another_id", key.secret()).hash()).isEqualTo(key.hash());
    assertThat(AccessKey.random().hash()).isNotEqualTo(key.hash());
    assertThat(key.toString()).contains(key.id()).doesNotContain(key.secret());
  }
}
