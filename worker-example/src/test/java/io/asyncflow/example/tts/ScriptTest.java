package io.asyncflow.example.tts;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.example.tts.Script.Passage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScriptTest {

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void emptyLinesSeparateParagraphsWhateverEndsALine(String end) {
    String text = String.join(end, "", "One", "goes on.", " \t", "", "Two.", "", "");
    assertThat(Script.passagesOf(text, 400))
        .containsExactly(new Passage(1, "One goes on."), new Passage(2, "Two."));
  }

  @Test
  void aTextWithoutLineEndIsOneParagraph() {
    assertThat(Script.passagesOf("Hello.", 400)).containsExactly(new Passage(1, "Hello."));
  }

  @Test
  void aTextWithNothingToSayHasNoPassages() {
    assertThat(Script.passagesOf("", 400)).isEmpty();
    assertThat(Script.passagesOf(" \n\n * * * \n\n…😀", 400)).isEmpty();
  }

  @Test
  void theStarsBetweenTwoScenesAreNotSpoken() {
    assertThat(Script.passagesOf("One.\n\n* * *\n\nTwo.", 400))
        .containsExactly(new Passage(1, "One."), new Passage(2, "Two."));
  }

  @Test
  void aLongParagraphIsCutBetweenItsSentences() {
    String text = "First one here. Second one here! Is this the third? A fourth.\n\nNext.";
    assertThat(Script.passagesOf(text, 35))
        .containsExactly(
            new Passage(1, "First one here. Second one here!"),
            new Passage(1, "Is this the third? A fourth."),
            new Passage(2, "Next."));
  }

  @Test
  void aParagraphAsLongAsAPassageStaysWhole() {
    assertThat(Script.passagesOf("abcd efgh.", 10)).hasSize(1);
    assertThat(Script.passagesOf("abcd efgh.", 9)).hasSize(2);
  }

  @Test
  void aLongSentenceIsCutAtASpace() {
    assertThat(Script.passagesOf("one two three four five six", 13))
        .extracting(Passage::text)
        .containsExactly("one two three", "four five six");
  }

  @Test
  void aLongWordIsCutButNoCharacterIs() {
    assertThat(Script.passagesOf("a" + "𝄞x".repeat(4), 5))
        .extracting(Passage::text)
        .containsExactly("a𝄞x", "𝄞x𝄞", "x𝄞x");
  }

  @Test
  void nothingIsLostByCutting() {
    String text = "The quick, brown fox; it jumps. Over 3.14 dogs? Yes! ".repeat(200);
    List<Passage> passages = Script.passagesOf(text, 77);
    assertThat(passages).allMatch(passage -> passage.text().length() <= 77);
    assertThat(String.join(" ", passages.stream().map(Passage::text).toList()))
        .isEqualTo(text.strip());
  }
}
