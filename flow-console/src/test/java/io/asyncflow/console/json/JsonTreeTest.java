package io.asyncflow.console.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.asyncflow.console.json.JsonTree.Kind;
import io.asyncflow.console.json.JsonTree.Node;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

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
    assertThat(tree.text()).startsWith("{\"taskContext\":\"••••\",\"n\":[1,");
  }

  @Test
  void secretsOfADocumentInATextThatIsTooLargeOrTornAreCovered() {
    String many = "[" + "1,".repeat(600) + "1]";
    String deep = "[".repeat(100) + "]".repeat(100);
    for (String rest : new String[] {many + "}", deep + "}", "[", "NaN}"}) {
      String inner = "\n{\"api_key\":\"sk-1\",\"rest\":" + rest;
      JsonTree tree = JsonTree.of(quoted("{'taskContext':%s}", inner));

      assertThat(member(tree, 0).kind()).isEqualTo(Kind.TEXT);
      assertThat(member(tree, 0).value()).isEqualTo(inner.replace("sk-1", "••••"));
      assertThat(tree.isCovered()).as("and is not for editing").isTrue();
    }
  }

  /** The same with quotes, and with a text as its value. */
  private static String quoted(String document, String text) {
    return document.replace('\'', '"').formatted(JsonMapper.shared().writeValueAsString(text));
  }

  @Test
  void secretsOfWhatIsNearlyJsonAreCovered() {
    for (String document :
        new String[] {
          "{\"loss\":NaN,\"api_key\":\"sk-1\"}",
          "{\"a\":[-Infinity,],/* why */\"api_key\":\"sk-1\",}",
          "{'a':007,'api_key':'sk-1'}",
          "{a:\"1\n\\.2\", // none\napi_key:\"sk-1\"}",
        }) {
      JsonTree tree = JsonTree.of(document);

      assertThat(tree.text())
          .isEqualTo(document.replaceAll("[\"']sk-1[\"']", "\"••••\""))
          .contains("••••");
      assertThat(tree.isCovered()).isTrue();
    }
  }

  @Test
  void secretsOfATornDocumentInATornOneAreCovered() {
    String whole = quoted("{'n':NaN,'cfg':%s}", "{\n \"api_key\":\"sk-1\", \"b\": \"ü\n");
    for (int length = whole.indexOf("1"); length < whole.length(); length++) {
      assertThat(JsonTree.of(whole.substring(0, length)).text())
          .contains("••••")
          .doesNotContain("sk-");
    }
  }

  @Test
  void documentInATextIsReadNoFurtherThanItIsShown() {
    String inner = "{\"api_key\":\"sk-1\",\"log\":\"" + "\n".repeat(4_000_000) + "\"}";
    String whole = quoted("{'request':%s,'token':'sk-2'}", inner);
    JsonTree tree = JsonTree.of(whole);

    assertThat(tree.text()).startsWith("{\"request\":\"••••\"");
    assertThat(tree.text()).doesNotContain("sk-").hasSizeLessThanOrEqualTo(JsonTree.MOST_TEXT);
    assertThat(tree.isCut()).isTrue();

    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    JsonTree.of(whole);
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(4_000_000);
  }

  @Test
  void numbersOfTokensAreNoSecrets() {
    JsonTree tree =
        JsonTree.of(
            "{\"max_tokens\":512,\"tokenCount\":7,\"token\":123456,\"tokens\":[\"sk-1\"],"
                + "\"token_secret\":5,\"token_value\":482913,\"otpTokenCode\":1234,"
                + "\"access_token_pin\":1234,\"tokenSerial\":12}");

    assertThat(tree.root().children().subList(0, 2))
        .extracting(Node::value)
        .containsExactly("512", "7");
    assertThat(tree.root().children().subList(2, 9)).allMatch(node -> node.kind() == Kind.COVERED);
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
