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
    assertThat(Script.of(text, 400))
        .isEqualTo(new Script(2, List.of(new Passage(1, "One goes on."), new Passage(2, "Two."))));
  }

  @Test
  void aTextWithoutLineEndIsOneParagraph() {
    assertThat(Script.of("Hello.", 400))
        .isEqualTo(new Script(1, List.of(new Passage(1, "Hello."))));
  }

  @Test
  void aTextWithNothingToSayHasNoPassages() {
    assertThat(Script.of("", 400).passages()).isEmpty();
    assertThat(Script.of(" \n\n * * * \n\n…😀", 400).passages()).isEmpty();
  }

  @Test
  void theStarsBetweenTwoScenesAreNotSpoken() {
    assertThat(Script.of("One.\n\n* * *\n\nTwo.", 400).passages())
        .containsExactly(new Passage(1, "One."), new Passage(2, "Two."));
  }

  @Test
  void aLongParagraphIsCutBetweenItsSentences() {
    String text = "First one here. Second one here! Is this the third? A fourth.\n\nNext.";
    assertThat(Script.of(text, 35))
        .isEqualTo(
            new Script(
                2,
                List.of(
                    new Passage(1, "First one here. Second one here!"),
                    new Passage(1, "Is this the third? A fourth."),
                    new Passage(2, "Next."))));
  }

  @Test
  void aParagraphAsLongAsAPassageStaysWhole() {
    assertThat(Script.of("abcd efgh.", 10).passages()).hasSize(1);
    assertThat(Script.of("abcd efgh.", 9).passages()).hasSize(2);
  }

  @Test
  void aLongSentenceIsCutAtASpace() {
    assertThat(Script.of("one two three four five six", 13).passages())
        .extracting(Passage::text)
        .containsExactly("one two three", "four five six");
  }

  @Test
  void aLongWordIsCutButNoCharacterIs() {
    assertThat(Script.of("a" + "𝄞x".repeat(4), 5).passages())
        .extracting(Passage::text)
        .containsExactly("a𝄞x", "𝄞x𝄞", "x𝄞x");
  }

  @Test
  void nothingIsLostByCutting() {
    String text = "The quick, brown fox; it jumps. Over 3.14 dogs? Yes! ".repeat(200);
    Script script = Script.of(text, 77);
    assertThat(script.passages()).allMatch(passage -> passage.text().length() <= 77);
    assertThat(String.join(" ", script.passages().stream().map(Passage::text).toList()))
        .isEqualTo(text.strip());
  }

  @Test
  void aPauseFollowsTheEndOfAParagraphButTheLast() {
    Script script = Script.of("Aa. Bb.\n\nCc.\n\nDd. Ee.", 4);
    assertThat(script.passages()).hasSize(5);
    assertThat(List.of(0, 1, 2, 3, 4)).filteredOn(script::pauseFollows).containsExactly(1, 2);
  }

  @Test
  void aParagraphIsSpokenWhenItsLastPassageIs() {
    Script script = Script.of("Aa. Bb.\n\nCc.\n\nDd. Ee.", 4);
    assertThat(List.of(0, 1, 2, 3, 4, 5).stream().map(script::paragraphsBefore))
        .containsExactly(0, 0, 1, 2, 2, 3);
  }
}
