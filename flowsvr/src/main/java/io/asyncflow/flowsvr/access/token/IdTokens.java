package io.asyncflow.flowsvr.access.token;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.key.KnownKeys;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/** The people whom ID tokens of the issuer prove to one client of it. Thread-safe. */
public final class IdTokens {

  private static final Logger log = LoggerFactory.getLogger(IdTokens.class);

  private final String clientId;
  private final NimbusJwtDecoder decoder;
  private final TokenGrant grant;
  private final KnownKeys keys;

  IdTokens(String clientId, NimbusJwtDecoder decoder, TokenGrant grant, KnownKeys keys) {
    this.clientId = clientId;
    this.decoder = decoder;
    this.grant = grant;
    this.keys = keys;
  }

  /**
   * Somebody who has logged in.
   *
   * @param mayEnter whether there is anything that the caller may do
   * @param endsAt when the issuer wants to be asked again, epoch ms
   */
  public record Person(Caller caller, boolean mayEnter, long endsAt) {}

  /**
   * The person whom a token proves; empty if it proves none.
   *
   * @param nonce what the log-in has sent, which the token repeats
   * @throws io.asyncflow.api.FlowException if the subject cannot be the name of a caller
   */
  public Optional<Person> verify(String token, String nonce) {
    try {
      Jwt jwt = decoder.decode(token);
      return isOf(jwt, nonce) ? Optional.of(person(jwt)) : Optional.empty();
    } catch (JwtException e) {
      log.warn("a token of somebody who logged in at the issuer is refused: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /** With several audiences, the token says for which of them it was made. */
  private boolean isOf(Jwt token, String nonce) {
    String party = token.getClaimAsString("azp");
    String repeated = token.getClaimAsString("nonce");
    return token.getExpiresAt() != null
        && (party == null ? token.getAudience().size() == 1 : party.equals(clientId))
        && repeated != null
        && MessageDigest.isEqual(
            repeated.getBytes(StandardCharsets.UTF_8), nonce.getBytes(StandardCharsets.UTF_8));
  }

  private Person person(Jwt token) {
    Caller caller = grant.callerOf(token);
    boolean mayEnter = !caller.roles().isEmpty() && !keys.isDenied(caller.principal());
    return new Person(caller, mayEnter, token.getExpiresAt().toEpochMilli());
  }
}
