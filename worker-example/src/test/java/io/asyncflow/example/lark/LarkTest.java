package io.asyncflow.example.lark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.example.Run;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.StageResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class LarkTest {

  private final List<String> sent = new ArrayList<>();
  private final Lark lark = new Lark((id, message) -> sent.add(id + " " + message));

  @Test
  void theMessageIsSentUnderTheSameIdInEveryAttempt() {
    StageResult first =
        send(1, "{\"ReqBody\":\"hello\",\"fromAddr\":\"fish\",\"toAddr\":\"bird\"}");
    send(2, "{\"ReqBody\":\"hello\",\"fromAddr\":\"fish\",\"toAddr\":\"bird\"}");
    assertThat(first).isEqualTo(StageResult.done(new Lark.Sent("bird", 1)));
    assertThat(sent)
        .containsOnly("7_lark_task_1 Message[body=hello, fromAddr=fish, toAddr=bird]")
        .hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"toAddr\":\"bird\"}", "{\"ReqBody\":\" \",\"toAddr\":\"bird\"}"})
  void aMessageWithoutBodyIsRefused(String context) {
    assertThatThrownBy(() -> send(1, context))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage("The message has no ReqBody.");
    assertThat(sent).isEmpty();
  }

  @Test
  void aMessageToNobodyIsRefused() {
    assertThatThrownBy(() -> send(1, "{\"ReqBody\":\"hello\"}"))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage("The message has no toAddr.");
  }

  @Test
  void aMessageCannotForgeALineOfTheLog(CapturedOutput output) {
    new LoggedMessages().send("7", new Message("hello\nERROR fire", null, "bird"));
    assertThat(output).contains("Message 7 from nobody to bird: hello ERROR fire");
  }

  private StageResult send(int epoch, String context) {
    Run run = Run.of("7_lark_task_1", "sendmsg").epoch(epoch).reading(context);
    return lark.sendMessage(run, run.context(Message.class));
  }
}
