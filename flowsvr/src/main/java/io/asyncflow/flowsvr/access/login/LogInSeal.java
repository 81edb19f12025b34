package io.asyncflow.flowsvr.access.login;

import com.nimbusds.jose.EncryptionMethod;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWEAlgorithm;
import com.nimbusds.jose.JWEHeader;
import com.nimbusds.jose.crypto.DirectDecrypter;
import com.nimbusds.jose.crypto.DirectEncrypter;
import com.nimbusds.jwt.EncryptedJWT;
import com.nimbusds.jwt.JWTClaimsSet;
import io.asyncflow.rules.access.KeySeals;
import java.text.ParseException;
import java.util.List;
import java.util.Optional;

/**
 * Seals what the browser keeps, by a key that all servers derive from the secret that they have in
 * common with the issuer, and from the pepper. The browser's owner can try secrets on it, so
 * without a pepper a secret that can be guessed would be found out. Thread-safe.
 */
final class LogInSeal {

  private static final JWEHeader HEADER = new JWEHeader(JWEAlgorithm.DIR, EncryptionMethod.A256GCM);

  /** Of all that was sealed here; other headers are not worth a look. */
  private static final String BEGINNING = HEADER.toBase64URL() + "..";

  private final byte[] key;

  LogInSeal(KeySeals peppers, String clientSecret) {
    KeySeals pepper = peppers.isOn() ? peppers : KeySeals.under(clientSecret);
    this.key = pepper.seal(List.of("log-in", clientSecret));
  }

  String seal(PendingLogIn logIn) {
    EncryptedJWT sealed =
        new EncryptedJWT(
            HEADER,
            new JWTClaimsSet.Builder()
                .claim("state", logIn.state())
                .claim("nonce", logIn.nonce())
                .claim("verifier", logIn.verifier())
                .claim("to", logIn.to())
                .claim("ends", logIn.endsAt())
                .build());
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
      EncryptedJWT sealed = EncryptedJWT.parse(text);
      sealed.decrypt(new DirectDecrypter(key));
      JWTClaimsSet claims = sealed.getJWTClaimsSet();
      return Optional.of(
          new PendingLogIn(
              claims.getStringClaim("state"),
              claims.getStringClaim("nonce"),
              claims.getStringClaim("verifier"),
              claims.getStringClaim("to"),
              claims.getLongClaim("ends")));
    } catch (ParseException | JOSEException e) {
      return Optional.empty();
    }
  }
}
