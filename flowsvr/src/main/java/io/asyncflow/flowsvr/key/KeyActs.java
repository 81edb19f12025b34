package io.asyncflow.flowsvr.key;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.key.IssuedKey;
import io.asyncflow.api.key.KeyState;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.key.AccessKeyStore;
import io.asyncflow.flowsvr.access.key.AccessKeyStore.Stored;
import io.asyncflow.flowsvr.access.key.AccessKeysChanged;
import io.asyncflow.flowsvr.access.key.KeyGrant;
import io.asyncflow.flowsvr.access.session.Sessions;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/**
 * What callers do with access keys; each act is recorded in its transaction, and one follows the
 * other. Thread-safe.
 */
@Service
class KeyActs {

  private static final int MAX_LIVE = 10_000;

  private final AccessKeyStore store;
  private final KeyViews views;
  private final Sessions sessions;
  private final Acts acts;
  private final RetryingTransactions transactions;
  private final Events events;
  private final Duration defaultExpiry;
  private final boolean hasEnvironmentKey;

  KeyActs(
      AccessKeyStore store,
      KeyViews views,
      Sessions sessions,
      Acts acts,
      RetryingTransactions transactions,
      Events events,
      @Value("${flow.access.default-expiry:90d}") Duration defaultExpiry,
      @Value("${flow.access.api-key:}") String environmentKey) {
    this.store = store;
    this.views = views;
    this.sessions = sessions;
    this.acts = acts;
    this.transactions = transactions;
    this.events = events;
    this.defaultExpiry = defaultExpiry;
    this.hasEnvironmentKey = !environmentKey.isBlank();
  }

  /** Makes a key for a caller that may do all that the key may. */
  IssuedKey create(KeyForm form, Caller caller) {
    refuseUnlessOf(form.grant(), caller);
    AccessKey key = AccessKey.random();
    Duration life = form.expireDays() == null ? defaultExpiry : Duration.ofDays(form.expireDays());
    return change(
        now -> {
          refuseIfTaken(form, now);
          AccessKeyRow row = form.row(key, caller.principal(), now, life);
          store.insert(row);
          record("CREATE", row.id(), "", form);
          return issued(key, row);
        });
  }

  private static void refuseUnlessOf(KeyGrant grant, Caller caller) {
    if (!grant.isOf(caller)) {
      throw conflict("the key would grant more than your own roles, scope and rate");
    }
  }

  private void refuseIfTaken(KeyForm form, long now) {
    List<AccessKeyRow> live =
        store.notEndedBefore(now).stream()
            .map(Stored::row)
            .filter(row -> !row.hasEnded(now))
            .toList();
    if (live.size() >= MAX_LIVE) {
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED,
          "there are " + MAX_LIVE + " live keys, and no more are possible");
    }
    for (AccessKeyRow row : live) {
      if (row.replacedBy() == null && row.name().equals(form.name())) {
        throw conflict("a live key has this name: rotate or revoke it, or choose another name");
      }
      if (row.replacedBy() == null
          && row.certSan() != null
          && row.certSan().equals(form.certSan())) {
        throw conflict(
            "a live key has this certSan, and a certificate proves one key: rotate or revoke it");
      }
    }
  }

  /** Makes a key with the same rights, for as long as the first one was made for. */
  IssuedKey rotate(String keyId, Duration overlap, Caller caller) {
    AccessKey key = AccessKey.random();
    return change(
        now -> {
          Stored found = find(keyId, caller);
          AccessKeyRow old = found.row();
          KeyState state = views.stateOf(found, now);
          if (state != KeyState.ACTIVE) {
            throw notPossible("the key is " + state + ", so make another one");
          }
          if (old.replacedBy() != null) {
            throw notPossible("the key has a successor, " + old.replacedBy() + "; rotate that one");
          }
          refuseUnlessOf(KeyGrant.read(old).orElseThrow(), caller);
          AccessKeyRow row =
              AccessKeyRow.of(
                      key,
                      old.name(),
                      old.roles(),
                      old.types(),
                      old.stages(),
                      old.users(),
                      old.workerPrefix(),
                      caller.principal(),
                      now,
                      now + old.life())
                  .limited(old.certSan(), old.rateLimit(), 0);
          store.insert(row);
          store.update(old.replaced(row.id(), now + overlap.toMillis()));
          record("ROTATE", keyId, "", new Rotation(row.id(), overlap.toSeconds()));
          return issued(key, row);
        });
  }

  /** As it is recorded. */
  private record Rotation(String successor, long overlapSeconds) {}

  /** Ends a key; does nothing if it was revoked before. */
  void revoke(String keyId, String reason, Caller caller) {
    change(
        now -> {
          Stored key = find(keyId, caller);
          if (!key.row().isRevoked()) {
            refuseIfLast(key, caller, now);
            store.update(key.row().revoked(now, reason));
            record("REVOKE", keyId, reason, null);
          }
          return null;
        });
  }

  /**
   * Refuses a caller with tokens of the issuer, and ends its sessions.
   *
   * @param time zero lets it in again
   */
  void deny(String principal, Duration time, String reason) {
    change(
        now -> {
          store.deny(principal, now + time.toMillis());
          sessions.endAllOf(principal);
          acts.record(
              Act.of("DENY", principal)
                  .by(new Reason("", reason))
                  .with(Map.of("seconds", time.toSeconds())));
          return null;
        });
  }

  /** Without a key in the environment, who proved itself by a key could lock everybody out. */
  private void refuseIfLast(Stored key, Caller caller, long now) {
    boolean isNeeded = KeyGrant.isOfKey(caller.principal()) && !hasEnvironmentKey;
    if (isNeeded
        && views.grantsAll(key, now)
        && store.all().stream()
            .filter(other -> !other.row().id().equals(key.row().id()))
            .noneMatch(other -> views.grantsAll(other, now))) {
      throw conflict(
          "this is the last live ADMIN key without a scope, and there is no FLOW_API_KEY: make"
              + " another one first");
    }
  }

  private Stored find(String keyId, Caller caller) {
    return store
        .find(keyId)
        .filter(key -> views.isVisible(key, caller))
        .orElseThrow(
            () -> new FlowException(ErrorCode.NO_SUCH_KEY, "there is no access key " + keyId));
  }

  private static IssuedKey issued(AccessKey key, AccessKeyRow row) {
    return new IssuedKey(row.id(), key.text(), row.expireTime());
  }

  private static FlowException conflict(String why) {
    return new FlowException(ErrorCode.KEY_CONFLICT, why);
  }

  private static FlowException notPossible(String why) {
    return new FlowException(ErrorCode.TRANSITION_NOT_ALLOWED, why);
  }

  private void record(String act, String keyId, String reason, Object detail) {
    acts.record(Act.of(act, "key:" + keyId).by(new Reason("", reason)).with(detail));
  }

  /**
   * @param work gets the database's clock
   */
  private <T> T change(LongFunction<T> work) {
    T result = transactions.execute(() -> work.apply(store.beginChange()));
    events.publish(AccessKeysChanged.HERE);
    return result;
  }
}
