package io.asyncflow.flowsvr.edge.access.login;

import com.nimbusds.jose.EncryptionMethod;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWEAlgorithm;
import com.nimbusds.jose.JWEHeader;
import com.nimbusds.jose.JWEObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.DirectDecrypter;
import com.nimbusds.jose.crypto.DirectEncrypter;
import io.asyncflow.rules.access.KeySeals;
import java.text.ParseException;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Seals what the browser keeps, by a key that all servers derive from the secret that they have in
 * common with the issuer, and from the pepper. The browser's owner can try secrets on it, so
 * without a pepper a secret that can be guessed would be found out. Thread-safe.
 */
final class LogInSeal {

  private static final JWEHeader HEADER = new JWEHeader(JWEAlgorithm.DIR, EncryptionMethod.A256GCM);

  /** Of all that was sealed here; other headers are not worth a look. */
  private static final String BEGINNING = HEADER.toBase64URL() + "..";

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final byte[] key;

  LogInSeal(KeySeals peppers, String clientSecret) {
    KeySeals pepper = peppers.isOn() ? peppers : KeySeals.under(clientSecret);
    this.key = pepper.seal(List.of("log-in", clientSecret));
  }

  String seal(PendingLogIn logIn) {
    JWEObject sealed = new JWEObject(HEADER, new Payload(JSON.writeValueAsString(logIn)));
    try {
      sealed.encrypt(new DirectEncrypter(key));
    } catch (JOSEException e) {
      throw new IllegalStateException("every JDK has AES-GCM", e);
    }
    return sealed.serialize();
  }

  /** Empty if no server has sealed it, or with another secret. */
  Optional<PendingLogIn> open(String text) {
    if (!text.startsWith(BEGINNING)) {
      return Optional.empty();
    }
    try {
      JWEObject sealed = JWEObject.parse(text);
      sealed.decrypt(new DirectDecrypter(key));
      return Optional.of(JSON.readValue(sealed.getPayload().toString(), PendingLogIn.class));
    } catch (ParseException | JOSEException | JacksonException e) {
      return Optional.empty();
    }
  }
}
