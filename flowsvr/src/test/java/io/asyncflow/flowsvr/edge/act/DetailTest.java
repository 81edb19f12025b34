package io.asyncflow.flowsvr.edge.act;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.rules.access.AccessKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DetailTest {

  @Test
  void contentsAndSecretsAreLeftOutWhereverTheyStand() {
    assertThat(Detail.json(Map.of("after", List.of(Map.of("taskContext", Map.of("a", 1))))))
        .isEqualTo("{\"after\":[{\"taskContext\":\"‹redacted›\"}]}");
    for (String name : List.of("password", "apiKey", "api_key", "Secret", "Authorization")) {
      assertThat(Detail.json(Map.of(name, "x"))).contains("‹redacted›").doesNotContain("\"x\"");
    }
    assertThat(Detail.json(Map.of("keyId", "x", "maxRetryNum", 1))).doesNotContain("redacted");
  }

  @Test
  void secretsInTextsAreLeftOut() {
    String key = AccessKey.random().text();
    assertThat(Detail.json(Map.of("name", "with " + key + " in it")))
        .isEqualTo("{\"name\":\"with ‹redacted› in it\"}");
    assertThat(Detail.json(Map.of("name", "Bearer abc"))).isEqualTo("{\"name\":\"‹redacted›\"}");
  }

  @Test
  void detailFitsItsColumn() {
    assertThat(Detail.json(Map.of("name", "ä".repeat(50_000))))
        .isEqualTo("{\"leftOut\":\"50011 characters\"}");
    assertThat(Detail.json(null)).isNull();
  }

  @Test
  void changeHasOnlyWhatChanged() {
    Change change =
        Change.between(
            Map.of("a", 1, "b", 2, "taskContext", "x"), Map.of("b", 3, "taskContext", "y"));
    assertThat(change.isEmpty()).isFalse();
    assertThat(Detail.json(change)).contains("\"a\":1", "\"b\":3").doesNotContain("\"x\"", "\"y\"");
    assertThat(Change.between(Map.of("a", 1), Map.of("a", 1)).isEmpty()).isTrue();
  }
}
