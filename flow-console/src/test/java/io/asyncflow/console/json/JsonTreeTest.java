package io.asyncflow.console.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.console.json.JsonTree.Kind;
import io.asyncflow.console.json.JsonTree.Node;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class JsonTreeTest {

  private static Node member(JsonTree tree, int index) {
    return tree.root().children().get(index);
  }

  @Test
  void numbersKeepTheirDigits() {
    JsonTree tree =
        JsonTree.of(
            "{\"id\":12345678901234567890123,\"speed\":1.10,\"tiny\":0.10000000000000000001}");

    assertThat(member(tree, 0).value()).isEqualTo("12345678901234567890123");
    assertThat(member(tree, 1).value()).isEqualTo("1.10");
    assertThat(member(tree, 2).value()).isEqualTo("0.10000000000000000001");
  }

  @Test
  void valuesOfSecretsAreCovered() {
    JsonTree tree =
        JsonTree.of(
            "{\"api_key\":\"sk-1\",\"Password\":{\"a\":1},\"accessToken\":[1],\"voice\":\"x\"}");

    assertThat(tree.root().children().subList(0, 3)).allMatch(node -> node.kind() == Kind.COVERED);
    assertThat(tree.toString()).doesNotContain("sk-1");
    assertThat(member(tree, 3).value()).isEqualTo("x");
  }

  @Test
  void secretsOfADocumentThatIsTooLargeForATreeAreCovered() {
    String many = "[" + "1,".repeat(JsonTree.MOST_NODES) + "1]";
    String long_ = "\"" + "x".repeat(JsonTree.MOST_TEXT) + "\"";
    for (String rest : new String[] {many, long_}) {
      JsonTree tree =
          JsonTree.of(
              "{ \"speed\": 1.10, \"api_key\": \"sk-1 \\\" }\", \"Password\":{\"a\":[\"sk-2\"]},"
                  + "\"secret\": null, \"passwd\":7 ,\"rest\":"
                  + rest
                  + ",\"token\":\"sk-3\"}");

      assertThat(tree.root()).isNull();
      assertThat(tree.text())
          .startsWith(
              "{ \"speed\": 1.10, \"api_key\": \"••••\", \"Password\":\"••••\","
                  + "\"secret\": null, \"passwd\":\"••••\" ,\"rest\":")
          .doesNotContain("sk-");
      assertThat(tree.isCovered()).isTrue();
      assertThat(tree.isCut()).isEqualTo(rest.equals(long_));
    }
    assertThat(JsonTree.of(many).isCovered()).isFalse();
  }

  @Test
  void secretsBeforeTheEndOfATornDocumentAreCovered() {
    assertThat(JsonTree.of("{\"token\":\"sk-1\",\"a\":[{\"secret\":\"sk-2\"},").text())
        .isEqualTo("{\"token\":\"••••\",\"a\":[{\"secret\":\"••••\"},");
    assertThat(JsonTree.of("{\"token\":\"sk-1\"}\n{\"token\":{\"a\":\"sk-2").text())
        .doesNotContain("sk-");
    String deep = "[".repeat(1_000) + "{\"token\":\"sk-1\"}" + "]".repeat(1_000);
    assertThat(JsonTree.of(deep).text()).contains("••••").doesNotContain("sk-1");
  }

  @Test
  void secretsOfDocumentsInTextsAreCoveredInLargeOnes() {
    String inner = "{\\\"api_key\\\":\\\"sk-1\\\",\\\"voice\\\":\\\"x\\\"}";
    JsonTree tree =
        JsonTree.of("{\"taskContext\":\"" + inner + "\",\"n\":[" + "1,".repeat(600) + "1]}");

    assertThat(tree.root()).isNull();
    assertThat(tree.text())
        .startsWith("{\"taskContext\":\"{\\\"api_key\\\":\\\"••••\\\",\\\"voice\\\":\\\"x\\\"}\",");
  }

  @Test
  void numbersOfTokensAreNoSecrets() {
    JsonTree tree =
        JsonTree.of(
            "{\"max_tokens\":512,\"tokenCount\":7,\"token\":123456,\"tokens\":[\"sk-1\"],"
                + "\"token_secret\":5}");

    assertThat(tree.root().children().subList(0, 2))
        .extracting(Node::value)
        .containsExactly("512", "7");
    assertThat(tree.root().children().subList(2, 5)).allMatch(node -> node.kind() == Kind.COVERED);
  }

  @Test
  void largeDocumentIsItsBeginning() {
    JsonTree tree = JsonTree.of("[" + "1,".repeat(200_000) + "1]");

    assertThat(tree.root()).isNull();
    assertThat(tree.isCut()).isTrue();
    assertThat(tree.text()).hasSize(JsonTree.MOST_TEXT);
    assertThat(tree.length()).isEqualTo(400_003);
  }

  @Test
  void documentOfManyValuesIsAText() {
    String many = "[" + String.join(",", Collections.nCopies(JsonTree.MOST_NODES, "1")) + "]";

    assertThat(JsonTree.of(many).root()).isNull();
    assertThat(JsonTree.of(many).text()).isEqualTo(many);
  }

  @Test
  void whatIsNoDocumentIsAText() {
    for (String text : new String[] {"{\"a\":", "plain", "{} {}", "NaN", "[".repeat(100_000)}) {
      assertThat(JsonTree.of(text).root()).as(text.substring(0, 1)).isNull();
    }
    assertThat(JsonTree.of((String) null).isEmpty()).isTrue();
  }

  @Test
  void halfOfACharacterIsNotCutOff() {
    String faces = "\uD83D\uDE00".repeat(JsonTree.MOST_TEXT);

    assertThat(JsonTree.of("x" + faces).text()).doesNotEndWith("\uD83D");
  }

  @Test
  void strangeNamesAreMembers() {
    JsonTree tree = JsonTree.of("{\"__proto__\":{\"a\":1},\"<b>\":null,\"\":true}");

    assertThat(tree.root().children())
        .extracting(Node::name)
        .containsExactly("__proto__", "<b>", "");
  }

  @Test
  void documentInATextIsATreeWhoseSecretsAreCovered() {
    JsonTree tree =
        JsonTree.of("{\"taskContext\":\"{\\\"api_key\\\":\\\"sk-1\\\"}\",\"none\":null}");

    assertThat(member(tree, 0).children().get(0).kind()).isEqualTo(Kind.COVERED);
    assertThat(member(tree, 1).value()).isEqualTo("null");
  }

  @Test
  void documentsInTextsAreBoundedTogether() {
    String inner = "[" + String.join(",", Collections.nCopies(300, "1")) + "]";
    JsonTree tree = JsonTree.of("[\"" + inner + "\",\"" + inner + "\"]");

    assertThat(member(tree, 0).kind()).isEqualTo(Kind.LIST);
    assertThat(member(tree, 1).kind()).isEqualTo(Kind.TEXT);
  }
}
