package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StoreKeyTest {

  private static final String TASK = "4711_lark_task_1";

  @Test
  void keyIsReadAsItIsWritten() {
    StoreKey key = StoreKey.of(TASK, "render", 3, "piece-01.wav");

    assertThat(key).hasToString(TASK + "/render/3/piece-01.wav");
    assertThat(StoreKey.parse(key.toString())).contains(key);
    assertThat(StoreKey.ofReference(key.reference())).contains(key);
    assertThat(StoreKey.ofReference(key.toString())).isEmpty();
  }

  @Test
  void stageOfAnySpellingIsOnePartOfAPath() {
    for (String stage : List.of("..", "a/b", "送信", "a b\\c", "%2e%2e", "x".repeat(64))) {
      assertThat(StoreKey.of(TASK, stage, 1, "a").stage()).matches("[A-Za-z0-9_-]{1,64}");
    }
    assertThat(StoreKey.spelled("Send-mail_2")).isEqualTo("Send-mail_2");
    assertThat(StoreKey.spelled("../a")).isEqualTo("___a");
  }

  @Test
  void nothingButAKeyIsRead() {
    List<String> hostile =
        List.of(
            "",
            "/",
            TASK + "/s/1",
            TASK + "/s/1/",
            TASK + "/s/1/a/b",
            "/" + TASK + "/s/1/a",
            TASK + "/s/1/..",
            TASK + "/s/1/.",
            TASK + "/s/1/.hidden",
            TASK + "/s/1/a.",
            TASK + "/s/1/a b",
            TASK + "/s/1/a\\b",
            TASK + "/s/1/a%2fb",
            TASK + "/s/1/a:b",
            TASK + "/s/1/a\0",
            TASK + "/s/1/a\n",
            TASK + "/s/1/CON",
            TASK + "/s/1/nul.txt",
            TASK + "/s/1/com1.wav",
            TASK + "/s/1/" + "a".repeat(101),
            TASK + "/s/1/é",
            TASK + "/../1/a",
            TASK + "/s.t/1/a",
            TASK + "//1/a",
            TASK + "/" + "s".repeat(65) + "/1/a",
            TASK + "/s/0/a",
            TASK + "/s/-1/a",
            TASK + "/s/01/a",
            TASK + "/s/2147483648/a",
            TASK + "/s/x/a",
            "../s/1/a",
            "0_lark_task_1/s/1/a",
            "4711_Lark_task_1/s/1/a",
            "4711_lark_task_0/s/1/a",
            "4711_lark/s/1/a");
    for (String text : hostile) {
      assertThat(StoreKey.parse(text)).as(text).isEmpty();
    }
  }

  @Test
  void nameThatCannotBeOneIsRefused() {
    for (String name : List.of("", ".", "..", "a/b", "aux", "a.", "ä", "a".repeat(101))) {
      assertThatIllegalArgumentException()
          .as(name)
          .isThrownBy(() -> StoreKey.of(TASK, "s", 1, name));
    }
    assertThat(StoreKey.of(TASK, "s", 1, "a".repeat(100)).name()).hasSize(100);
    assertThat(StoreKey.of(TASK, "s", 1, "console.log").name()).isEqualTo("console.log");
  }

  @Test
  void theKeysInATextAreFoundOnceEach() {
    StoreKey first = new StoreKey("7_lark_task_1", "render", 2, "page.png");
    StoreKey second = new StoreKey("8_lark_task_1", "render", 1, "_context");
    String text =
        "{\"a\":\"stored:%s\",\"b\":[\"stored:%s\",\"%s\"]}"
            .formatted(first, first.toString().replace("/", "\\/"), second);
    assertThat(StoreKey.allIn(text)).containsExactly(first, second);
    assertThat(StoreKey.allIn("and/or")).isEmpty();
    String byNumbers = first.toString().replace("_", "\\u005F").replace("/", "\\u002f");
    assertThat(StoreKey.allIn(byNumbers)).containsExactly(first);
    assertThat(StoreKey.allIn(byNumbers.replace("\\", "\\\\"))).containsExactly(first);
    assertThat(StoreKey.allIn(byNumbers.replace("\\", "\\u005c"))).containsExactly(first);
    assertThat(StoreKey.allIn(first.toString().replace("_task", "\\u00e4task"))).isEmpty();
    assertThat(StoreKey.allIn("7\\u005")).isEmpty();
    assertThat(first.taskType()).isEqualTo("lark");
    assertThat(new StoreKey("7_my_task_x_task_1", "s", 1, "n").taskType()).isEqualTo("my_task_x");
  }

  @Test
  @Timeout(20)
  void longRunsOfBackslashesAreReadOnce() {
    assertThat(StoreKey.allIn("\\".repeat(4_000_000) + "x")).isEmpty();
    assertThat(StoreKey.allIn("\\u005c".repeat(1_000_000) + "x")).isEmpty();
  }
}
