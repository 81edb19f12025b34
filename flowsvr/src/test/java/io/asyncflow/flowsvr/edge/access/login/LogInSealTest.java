package io.asyncflow.flowsvr.edge.access.login;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.EncryptionMethod;
import com.nimbusds.jose.JWEAlgorithm;
import com.nimbusds.jose.JWEHeader;
import com.nimbusds.jose.JWEObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.DirectEncrypter;
import com.nimbusds.jose.jwk.gen.OctetSequenceKeyGenerator;
import io.asyncflow.rules.access.KeySeals;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a browser keeps of a log-in is for servers with the same secret, as they wrote it. */
class LogInSealTest {

  private static final KeySeals PEPPER = KeySeals.of("a-pepper-that-no-database-knows");
  private static final String SECRET = "the secret of the client";

  private final LogInSeal seal = new LogInSeal(PEPPER, SECRET);
  private final PendingLogIn logIn = PendingLogIn.begin("/console/jobs", 5_000_000);

  @Test
  void anotherServerWithTheSecretOpensIt() {
    String kept = seal.seal(logIn);
    assertThat(new LogInSeal(PEPPER, SECRET).open(kept)).contains(logIn);
    assertThat(new LogInSeal(PEPPER, "another secret").open(kept)).isEmpty();
  }

  /** Or whoever begins a log-in could try secrets on what he keeps. */
  @Test
  void whoGuessesTheSecretOpensItNotWithoutThePepper() {
    assertThat(new LogInSeal(KeySeals.OFF, SECRET).open(seal.seal(logIn))).isEmpty();
    KeySeals another = KeySeals.of("another-pepper-than-that-one");
    assertThat(new LogInSeal(another, SECRET).open(seal.seal(logIn))).isEmpty();
    LogInSeal withoutPepper = new LogInSeal(KeySeals.OFF, SECRET);
    assertThat(withoutPepper.open(withoutPepper.seal(logIn))).contains(logIn);
  }

  @Test
  void browserCannotReadIt() {
    assertThat(seal.seal(logIn))
        .doesNotContain(logIn.state())
        .doesNotContain(logIn.nonce())
        .doesNotContain(logIn.verifier())
        .isNotEqualTo(seal.seal(logIn));
    assertThat(logIn.toString()).doesNotContain(logIn.state()).doesNotContain(logIn.verifier());
  }

  @Test
  void whatWasChangedOrMadeUpOpensNot() throws Exception {
    String kept = seal.seal(logIn);
    for (int i : List.of(0, kept.indexOf("..") + 3, kept.length() / 2, kept.length() - 3)) {
      char other = kept.charAt(i) == 'A' ? 'B' : 'A';
      String changed = kept.substring(0, i) + other + kept.substring(i + 1);
      assertThat(seal.open(changed)).as("changed at %d", i).isEmpty();
    }
    JWEObject ofAnother =
        new JWEObject(
            new JWEHeader(JWEAlgorithm.DIR, EncryptionMethod.A256GCM),
            new Payload("{\"state\":\"s\"}"));
    ofAnother.encrypt(new DirectEncrypter(new OctetSequenceKeyGenerator(256).generate()));
    String beginning = kept.substring(0, kept.indexOf("..") + 2);
    for (String madeUp :
        List.of(
            "",
            ".",
            "....",
            "e30.e30.e30.e30.e30",
            beginning,
            beginning + "a.a.a",
            beginning + "..",
            ofAnother.serialize())) {
      assertThat(seal.open(madeUp)).as(madeUp).isEmpty();
    }
  }
}
