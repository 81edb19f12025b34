package io.asyncflow.console.page.find;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.console.Payloads;
import io.asyncflow.console.page.find.SavedSearches.Search;
import java.util.List;
import org.junit.jupiter.api.Test;

class SearchTextTest {

  @Test
  void wordsStandWhereTheyWereTyped() {
    String text = "type:tts  stage:\"cut it\",b age<1h no\u00A0tape";
    SearchText q = SearchText.of(text);

    assertThat(q.words())
        .extracting(SearchText.Word::text)
        .containsExactly("type:tts", "stage:\"cut it\",b", "age<1h", "no", "tape");
    assertThat(q.value("type")).isEqualTo("tts");
    assertThat(q.values("stage")).containsExactly("cut it", "b");
    assertThat(q.bound("age", "<")).isEqualTo("1h");
    assertThat(q.bound("age", ">")).isEmpty();
  }

  @Test
  void valueOfAWordIsReplacedAndQuotedWhereItMustBe() {
    SearchText q = SearchText.of("status:failed user:ada");

    assertThat(q.with("user", List.of("bob")).text()).isEqualTo("status:failed user:bob");
    assertThat(q.with("stage", List.of("a, \"b\" \\")).text())
        .isEqualTo("status:failed user:ada stage:\"a, \\\"b\\\" \\\\\"");
    assertThat(q.with("user", List.of(" ")).text()).isEqualTo("status:failed");
    assertThat(q.toggled("status", "waiting").text()).isEqualTo("user:ada status:failed,waiting");
    assertThat(q.toggled("status", "failed").text()).isEqualTo("user:ada");
    assertThat(q.withBound("age", "<", "1h").text()).isEqualTo("status:failed user:ada age<1h");
    assertThat(q.without(q.words().get(0))).isEqualTo("user:ada");
  }

  /** The server reads what the builder has written as one value, whatever it is. */
  @Test
  void everyTextSurvivesAsAValue() {
    for (String payload : Payloads.all()) {
      if (payload.isBlank()) {
        continue;
      }
      SearchText q = SearchText.of("").with("user", List.of(payload));

      assertThat(q.words()).as(payload).hasSize(1);
      assertThat(SearchText.of(q.text()).values("user")).containsExactly(payload);
    }
  }

  @Test
  void textThatIsCutOffStillHasWords() {
    assertThat(SearchText.of("a:\"open").words()).hasSize(1);
    assertThat(SearchText.of("\"\\").words()).hasSize(1);
    assertThat(SearchText.of(" \t ").words()).isEmpty();
    for (String payload : Payloads.all()) {
      assertThat(SearchText.of(payload).words()).as(payload).isNotEmpty();
    }
  }

  @Test
  void refusalPointsAtItsWord() {
    SearchText q = SearchText.of("status:odd age>x age<1h foo:bar text");

    assertThat(meant(q, "the word 'foo' is not known; known are age")).containsExactly("foo:bar");
    assertThat(meant(q, "status: 'odd' is not a status")).containsExactly("status:odd");
    assertThat(meant(q, "age> is given twice")).containsExactly("age>x");
    assertThat(meant(q, "text: 'x' is longer than 200 characters")).containsExactly("text");
  }

  private static List<String> meant(SearchText q, String refusal) {
    return q.words().stream()
        .filter(word -> SearchText.isMeant(word, refusal))
        .map(SearchText.Word::text)
        .toList();
  }

  @Test
  void savedSearchesSurviveTheCookie() {
    SavedSearches saved = SavedSearches.of("");
    for (String payload : Payloads.all().subList(0, 10)) {
      saved =
          saved.with(
              "a " + payload.substring(0, 5),
              new Search(payload, payload.length() % 2 == 0 ? "DUE" : ""));
    }

    assertThat(SavedSearches.of(saved.cookieValue())).isEqualTo(saved);
    assertThat(saved.cookieValue()).matches("[A-Za-z0-9%=&._~-]*");
    assertThat(SavedSearches.of("%zz=1&x=%GG&ok=1").byName()).containsOnlyKeys("ok");
    assertThat(SavedSearches.of("ok=a=ODD").byName().get("ok").order()).isEmpty();
  }
}
