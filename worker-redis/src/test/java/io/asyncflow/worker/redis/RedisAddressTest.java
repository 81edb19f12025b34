package io.asyncflow.worker.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {

  @Test
  void aUrlSaysItAll() {
    assertThat(RedisAddress.parse("redis://localhost"))
        .isEqualTo(new RedisAddress("redis://localhost:6379", null, null, 0));
    assertThat(RedisAddress.parse("rediss://me:secret@10.0.0.1:1234/5"))
        .isEqualTo(new RedisAddress("rediss://10.0.0.1:1234", "me", "secret", 5))
        .asString()
        .doesNotContain("secret");
    assertThat(RedisAddress.parse("redis://:secret@localhost").password()).isEqualTo("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "foo",
        "localhost:6379",
        "http://localhost:6379",
        "redis://",
        "redis:// x",
        "redis://h/one"
      })
  void anythingElseIsRefusedInOneSentence(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisAddress.parse(url))
        .withMessage("the address of a Redis, such as redis://127.0.0.1:6379, and not '%s'", url);
  }

  @Test
  void aRefusalDoesNotTellThePassword() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisAddress.parse("http://me:secret@localhost"))
        .withMessageNotContaining("secret");
  }
}
