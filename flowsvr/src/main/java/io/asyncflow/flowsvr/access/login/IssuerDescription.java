package io.asyncflow.flowsvr.access.login;

import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.as.AuthorizationServerMetadata;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.access.token.IssuerHttp;
import io.asyncflow.flowsvr.access.token.OidcProperties;
import io.asyncflow.flowsvr.system.Node;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the issuer says of itself: where people log in, and where codes are exchanged. Read when it
 * is needed, and kept; what was read last stays good while the issuer does not answer. Thread-safe.
 */
class IssuerDescription {

  private static final Logger log = LoggerFactory.getLogger(IssuerDescription.class);

  private static final long FRESH_NANOS = Duration.ofMinutes(5).toNanos();

  /** How long nobody asks after a failure. */
  private static final long PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

  /** How long a request waits for what another one reads. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final String issuer;
  private final IssuerHttp http;
  private final Node node;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile Read last;

  /**
   * @param metadata {@code null} if it was never read
   * @param goodUntil monotonic, when it is to be read again
   */
  private record Read(AuthorizationServerMetadata metadata, long goodUntil) {}

  IssuerDescription(String issuer, IssuerHttp http, Node node) {
    this.issuer = issuer;
    this.http = http;
    this.node = node;
  }

  /** What is known of it, if nobody needs to wait: it is fresh, or another request reads it now. */
  Optional<AuthorizationServerMetadata> ready() {
    Read known = last;
    boolean isReady = known != null && (!isToBeRead(known) || reading.isLocked());
    return isReady ? Optional.ofNullable(known.metadata()) : Optional.empty();
  }

  /**
   * What it says, read now if need be.
   *
   * @throws FlowException if it was never read, and cannot be read now
   */
  AuthorizationServerMetadata get() {
    Read known = last;
    if (isToBeRead(known) && awaitTurn(known)) {
      try {
        if (isToBeRead(last)) {
          last = read(last);
        }
      } finally {
        reading.unlock();
      }
    }
    known = last;
    if (known == null || known.metadata() == null) {
      throw new FlowException(
          ErrorCode.UNAVAILABLE, "the issuer, at which you log in, does not answer");
    }
    return known.metadata();
  }

  private boolean isToBeRead(Read known) {
    return known == null || node.nanoTime() - known.goodUntil() >= 0;
  }

  /** Only those wait who have nothing to go on with. */
  private boolean awaitTurn(Read known) {
    if (known != null && known.metadata() != null) {
      return reading.tryLock();
    }
    try {
      return reading.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Read read(Read before) {
    try {
      AuthorizationServerMetadata metadata =
          AuthorizationServerMetadata.parse(http.read(OidcProperties.descriptionOf(issuer)));
      requireGood(metadata);
      return new Read(metadata, node.nanoTime() + FRESH_NANOS);
    } catch (IOException | ParseException e) {
      log.warn("what the issuer {} says of itself cannot be read: {}", issuer, e.toString());
      return new Read(before == null ? null : before.metadata(), node.nanoTime() + PAUSE_NANOS);
    }
  }

  private void requireGood(AuthorizationServerMetadata metadata) throws IOException {
    URI page = metadata.getAuthorizationEndpointURI();
    URI exchange = metadata.getTokenEndpointURI();
    if (!issuer.equals(metadata.getIssuer().getValue())) {
      throw new IOException("it describes itself as the issuer " + metadata.getIssuer());
    }
    if (page == null || !OidcProperties.isSafe(page.toString().replaceFirst("[?].*", ""))) {
      throw new IOException("its page to log in is " + page + ", which is no https URL");
    }
    if (exchange == null || !OidcProperties.isSafe(exchange.toString())) {
      throw new IOException("its token endpoint is " + exchange + ", which is no https URL");
    }
  }
}
