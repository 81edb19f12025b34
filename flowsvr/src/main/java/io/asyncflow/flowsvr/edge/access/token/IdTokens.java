package io.asyncflow.flowsvr.edge.access.token;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.key.KnownKeys;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;

/** The people whom ID tokens of the issuer prove to one client of it. Thread-safe. */
public final class IdTokens {

  private static final Logger log = LoggerFactory.getLogger(IdTokens.class);

  private final String clientId;
  private final JwtDecoder decoder;
  private final TokenGrant grant;
  private final KnownKeys keys;

  IdTokens(String clientId, JwtDecoder decoder, TokenGrant grant, KnownKeys keys) {
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
   * The person whom a token proves; empty if it proves none, and then the log says why.
   *
   * @param nonce what the log-in has sent, which the token repeats
   * @throws FlowException if the issuer's keys cannot be read
   */
  public Optional<Person> verify(String token, String nonce) {
    try {
      Jwt jwt = decoder.decode(token);
      Optional<String> flaw = flawOf(jwt, nonce);
      if (flaw.isEmpty()) {
        return Optional.of(person(jwt));
      }
      warn(flaw.get());
    } catch (BadJwtException e) {
      warn(e.getMessage());
    } catch (JwtException e) {
      log.warn("somebody who logged in at the issuer has to do so again: {}", e.getMessage());
      throw new FlowException(
          ErrorCode.UNAVAILABLE, "the issuer, at which you log in, does not tell its keys");
    } catch (FlowException e) { // the subject cannot be the name of a caller
      warn(e.getMessage());
    }
    return Optional.empty();
  }

  private static void warn(String why) {
    log.warn("a token of somebody who logged in at the issuer is refused: {}", why);
  }

  /** Beyond what every token must have. */
  private Optional<String> flawOf(Jwt token, String nonce) {
    String party = token.getClaimAsString("azp");
    String repeated = token.getClaimAsString("nonce");
    if (token.getExpiresAt() == null) {
      return Optional.of("it has no exp");
    }
    if (token.getExpiresAt().toEpochMilli() <= keys.now()) { // its session would be over
      return Optional.of("it has expired, or the issuer's clock and the database's differ");
    }
    if (party == null && token.getAudience().size() > 1) {
      return Optional.of("of its several audiences, no azp says for which one it was made");
    }
    if (party != null && !party.equals(clientId)) {
      return Optional.of("its azp names another client");
    }
    boolean isRepeated =
        repeated != null
            && MessageDigest.isEqual(
                repeated.getBytes(StandardCharsets.UTF_8), nonce.getBytes(StandardCharsets.UTF_8));
    return isRepeated ? Optional.empty() : Optional.of("its nonce is not the one of this log-in");
  }

  private Person person(Jwt token) {
    Caller caller = grant.callerOf(token);
    boolean mayEnter = !caller.roles().isEmpty() && !keys.isDenied(caller.principal());
    return new Person(caller, mayEnter, token.getExpiresAt().toEpochMilli());
  }
}
