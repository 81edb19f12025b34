package io.asyncflow.api.key;

import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of flowsvr's contract about access keys; see {@link FlowClient} for the exceptions.
 * Thread-safe.
 *
 * @param transport sends the calls
 */
public record KeyClient(Transport transport) {

  /**
   * Makes a key. A repeat after a lost answer is refused by the name, or makes another key: revoke
   * the first one.
   *
   * @throws FlowException with {@link ErrorCode#KEY_CONFLICT} if a live key has the name, or the
   *     caller may not do all that the key may
   */
  public IssuedKey create(NewKey key) {
    return transport.send(Call.to("/api/key/create", IssuedKey.class).withBody(key));
  }

  /**
   * Lists keys, newest first.
   *
   * @param state only keys in this state; {@code null} for all
   * @param limit the most keys in a page, 1 to 1,000; {@code null} for 100
   * @param cursor the last page's {@link KeyPage#nextCursor()}; {@code null} for the first page
   */
  public KeyPage list(KeyState state, Integer limit, String cursor) {
    return transport.send(
        Call.to("/api/key/list", KeyPage.class)
            .with("state", state)
            .with("limit", limit)
            .with("cursor", cursor));
  }

  /** All keys in this state, or in any for {@code null}, newest first. */
  public List<ListedKey> list(KeyState state) {
    List<ListedKey> keys = new ArrayList<>();
    String cursor = null;
    do {
      KeyPage page = list(state, null, cursor);
      keys.addAll(page.keyList());
      cursor = page.nextCursor();
    } while (cursor != null);
    return keys;
  }

  /**
   * Makes a key with the rights of another one, which expires after a while.
   *
   * @param overlap how long both are good, up to 30 days
   * @throws FlowException with {@link ErrorCode#NO_SUCH_KEY} if there is none, {@link
   *     ErrorCode#TRANSITION_NOT_ALLOWED} if it has ended or has a successor
   */
  public IssuedKey rotate(String keyId, Duration overlap) {
    return transport.send(
        Call.to("/api/key/rotate", IssuedKey.class)
            .with("keyId", keyId)
            .with("overlapSeconds", overlap.toSeconds()));
  }

  /**
   * Ends a key. Does nothing if it was revoked before.
   *
   * @param reason at most 1,000 characters; {@code null} for none
   * @throws FlowException with {@link ErrorCode#NO_SUCH_KEY} if there is none, {@link
   *     ErrorCode#KEY_CONFLICT} if nobody could make keys without it
   */
  public void revoke(String keyId, String reason) {
    transport.send(Call.to("/api/key/revoke").with("keyId", keyId).with("reason", reason));
  }

  /**
   * Refuses a caller with tokens of the issuer, and ends its sessions.
   *
   * @param subject as the issuer has it in {@code sub}, or the whole principal, {@code
   *     oidc:{iss}#{sub}}
   * @param time up to 30 days
   * @param reason at most 1,000 characters; {@code null} for none
   */
  public void deny(String subject, Duration time, String reason) {
    transport.send(
        Call.to("/api/key/deny")
            .with("principal", subject)
            .with("seconds", time.plusNanos(999_999_999).toSeconds())
            .with("reason", reason));
  }

  /** Lets a caller in again that was denied. */
  public void allow(String subject, String reason) {
    deny(subject, Duration.ZERO, reason);
  }

  /**
   * Lists the callers that are denied now.
   *
   * @param limit the most callers in a page, 1 to 1,000; {@code null} for 100
   * @param cursor the last page's {@link DeniedPage#nextCursor()}; {@code null} for the first page
   */
  public DeniedPage denied(Integer limit, String cursor) {
    return transport.send(
        Call.to("/api/key/denied", DeniedPage.class).with("limit", limit).with("cursor", cursor));
  }

  /** All callers that are denied now. */
  public List<DeniedCaller> denied() {
    List<DeniedCaller> denied = new ArrayList<>();
    String cursor = null;
    do {
      DeniedPage page = denied(null, cursor);
      denied.addAll(page.deniedList());
      cursor = page.nextCursor();
    } while (cursor != null);
    return denied;
  }

  /** Whom the server takes this client for. */
  public Me me() {
    return transport.send(Call.to("/api/key/me", Me.class));
  }
}
