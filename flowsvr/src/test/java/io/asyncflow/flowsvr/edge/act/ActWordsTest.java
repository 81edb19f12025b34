package io.asyncflow.flowsvr.edge.act;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskAct;
import io.asyncflow.console.text.Language;
import io.asyncflow.console.text.Words;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The console has a word for every act that the server records, in each of its languages. */
class ActWordsTest {

  private static final Pattern MAKES_ACTS = Pattern.compile("\\bAct\\s*\\.(of|onTask)\\(");
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*");
  private static final Pattern KIND = Pattern.compile("\"([A-Z][A-Z_]+)\"");

  /** In code that makes acts, a text in capitals is the name of one. */
  private static Set<String> acts() throws IOException {
    Set<String> acts = new TreeSet<>();
    Arrays.stream(TaskAct.values()).map(TaskAct::name).forEach(acts::add);
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        String code = COMMENT.matcher(Files.readString(file)).replaceAll("");
        if (MAKES_ACTS.matcher(code).find()) {
          Matcher kind = KIND.matcher(code);
          while (kind.find()) {
            acts.add(kind.group(1));
          }
        }
      }
    }
    return acts;
  }

  @Test
  void everyActHasAWordInBothLanguages() throws Exception {
    assertThat(acts()).contains("RUN_NOW", "START_BULK", "UNDO_DRAIN", "LOG_IN");
    for (Language language : Language.values()) {
      assertThat(acts())
          .as("words of %s", language)
          .allMatch(act -> !Words.of(language).nameOf("audit.act.", act).equals(act));
    }
  }

  @Test
  void everySourceOfAnActHasAWordInBothLanguages() {
    Actor request = Actor.ofRequest("key:a", null, "");
    for (Actor actor : new Actor[] {request, request.inBulk(), Actor.SERVER}) {
      String source = actor.source();
      for (Language language : Language.values()) {
        assertThat(Words.of(language).nameOf("audit.source.", source)).isNotEqualTo(source);
      }
    }
  }
}
