package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredTextTest {

  private static final StoreKey KEY = StoreKey.of("4711_lark_task_1", "render", 2, "_context");
  private static final StoredText STORED = new StoredText(KEY, 13);

  private static final StoreClient STORE =
      new StoreClient() {
        @Override
        public void put(StoreKey key, String workerId, StoreContent content) {
          throw new UnsupportedOperationException();
        }

        @Override
        public InputStream open(StoreKey key) {
          assertThat(key).isEqualTo(KEY);
          return new ByteArrayInputStream("whole text ü".getBytes(StandardCharsets.UTF_8));
        }
      };

  @Test
  void standsInARowAsJson() throws Exception {
    assertThat(StoredText.parse(STORED.toString())).contains(STORED);
    assertThat(JsonMapper.builder().build().readTree(STORED.toString()).path("$stored").asText())
        .isEqualTo(KEY.toString());
  }

  @Test
  void otherTextsStandForThemselves() {
    for (String text :
        List.of(
            "",
            "{}",
            KEY.reference(),
            "{\"$stored\":\"../a\",\"bytes\":1}",
            "{\"$stored\":\"" + KEY + "\"}",
            " " + STORED,
            STORED + "\n")) {
      assertThat(StoredText.parse(text)).as(text).isEmpty();
      assertThat(STORE.textOf(text)).isEqualTo(text);
    }
    assertThat(STORE.textOf(null)).isNull();
  }

  @Test
  void storedTextIsReadFromTheStore() {
    assertThat(STORE.textOf(STORED.toString())).isEqualTo("whole text ü");
  }
}
