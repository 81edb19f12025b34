package io.asyncflow.flowsvr.compose.hook;

import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HookSecretTest {

  @Test
  void signatureIsThatOfTheSpecification() {
    HookSecret secret = new HookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");

    assertThat(secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}"))
        .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }

  @Test
  void signatureIsThatOfTheReferenceLibrary() throws Exception {
    HookSecret secret = HookSecret.random();
    String body = "{\"errMsg\":\"Überlänge — 太长\"}";

    assertThat(secret.sign("evt_1", 1_700_000_000, body))
        .isEqualTo(new Webhook(secret.text()).sign("evt_1", 1_700_000_000, body));
  }

  @Test
  void everySecretIsAnother() {
    assertThat(HookSecret.random().text()).isNotEqualTo(HookSecret.random().text());
    assertThat(HookSecret.random().text()).matches("whsec_[A-Za-z0-9+/]{43}=");
  }

  @Test
  void textsForLogsDoNotContainTheKey() {
    HookSecret secret = new HookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    HookRow hook =
        new HookRow(
            7,
            "crm",
            "https://localhost/",
            Set.of(),
            Set.of(),
            StoredHookState.ACTIVE,
            secret,
            secret,
            0,
            0,
            null,
            "",
            0,
            0,
            0);

    assertThat(secret.toString()).doesNotContain("MfKQ");
    assertThat(hook.toString()).isEqualTo("hook 7 (crm)");
  }
}
