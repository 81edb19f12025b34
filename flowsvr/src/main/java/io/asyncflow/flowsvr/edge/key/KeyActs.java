package io.asyncflow.flowsvr.edge.key;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.key.IssuedKey;
import io.asyncflow.api.key.KeyState;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.key.AccessKeyStore;
import io.asyncflow.flowsvr.edge.access.key.AccessKeyStore.Stored;
import io.asyncflow.flowsvr.edge.access.key.AccessKeysChanged;
import io.asyncflow.flowsvr.edge.access.key.KeyGrant;
import io.asyncflow.flowsvr.edge.access.key.KnownKeys;
import io.asyncflow.flowsvr.edge.access.session.Sessions;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.AccessKeyRow.Limits;
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

  /** Every server reads all of them after each change, and has them in its memory. */
  private static final int MOST_KEPT = 10_000;

  /** Of the keys within a scope, for callers with that scope. */
  static final int MOST_KEPT_OF_A_SCOPE = 1_000;

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
    if (form.certSan() != null && caller.isScoped()) {
      throw conflict(
          "a certSan stands for one key, whosever it is: only a caller without a scope gives one");
    }
    AccessKey key = AccessKey.random();
    Duration life = form.expireDays() == null ? defaultExpiry : Duration.ofDays(form.expireDays());
    return change(
        now -> {
          refuseUnlessBound(form.certSan(), caller);
          List<Stored> kept = kept(now, caller);
          refuseIfTaken(form, kept, now, caller);
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

  /** Otherwise whoever copied a key could do without its certificate after one use. */
  private void refuseUnlessBound(String certSan, Caller caller) {
    if (certSan == null
        && KeyGrant.isOfKey(caller.principal())
        && store
            .find(KeyGrant.keyIdOf(caller.principal()))
            .filter(own -> own.row().limits().certSan() != null)
            .isPresent()) {
      throw conflict("your key needs a certificate, so the keys that it makes need one, too");
    }
  }

  /**
   * The keys that servers have in their memory.
   *
   * @throws FlowException if there are as many as may be
   */
  private List<Stored> kept(long now, Caller caller) {
    List<Stored> kept = store.notEndedBefore(now - KnownKeys.REMEMBERED.toMillis());
    if (kept.size() >= MOST_KEPT) {
      throw tooMany(MOST_KEPT, "");
    }
    if (caller.isScoped()
        && kept.stream().filter(key -> views.isVisible(key, caller)).count()
            >= MOST_KEPT_OF_A_SCOPE) {
      throw tooMany(MOST_KEPT_OF_A_SCOPE, " within your scope");
    }
    return kept;
  }

  private static FlowException tooMany(int most, String where) {
    return new FlowException(
        ErrorCode.LIMIT_EXCEEDED,
        "there are "
            + most
            + " keys"
            + where
            + " that are live or ended less than thirty days ago, and no more are possible");
  }

  /** What a caller does not see takes no name from it: the refusal would tell of it. */
  private void refuseIfTaken(KeyForm form, List<Stored> kept, long now, Caller caller) {
    for (Stored key : kept) {
      AccessKeyRow row = key.row();
      if (row.hasEnded(now) || row.isReplaced()) {
        continue;
      }
      if (row.name().equals(form.name()) && views.isVisible(key, caller)) {
        throw conflict("a live key has this name: rotate or revoke it, or choose another name");
      }
      String taken = row.limits().certSan();
      if (taken != null && taken.equals(form.certSan())) {
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
          if (old.isReplaced()) {
            throw notPossible(
                "the key has a successor, " + old.end().replacedBy() + "; rotate that one");
          }
          refuseUnlessOf(KeyGrant.read(old).orElseThrow(), caller);
          refuseUnlessBound(old.limits().certSan(), caller);
          kept(now, caller);
          AccessKeyRow row =
              AccessKeyRow.of(
                      key, old.name(), old.rights(), caller.principal(), now, now + old.life())
                  .limited(new Limits(old.limits().certSan(), old.limits().rate(), 0));
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

  /** Refuses a caller with tokens of the issuer, and ends its sessions. */
  void deny(String principal, Duration time, String reason) {
    change(
        now -> {
          store.deny(principal, now + time.toMillis());
          endSessions(principal, time, reason);
          return null;
        });
  }

  /**
   * Lets a caller in again. Of its sessions, some may have begun before all servers refused it.
   *
   * @throws FlowException if nobody refuses it: a name that was mistyped is to be noticed
   */
  void allow(String principal, String reason) {
    change(
        now -> {
          if (!store.allow(principal)) {
            throw notPossible("the caller " + principal + " is not denied");
          }
          endSessions(principal, Duration.ZERO, reason);
          return null;
        });
  }

  private void endSessions(String principal, Duration time, String reason) {
    sessions.endAllOf(principal);
    acts.record(
        Act.of("DENY", principal)
            .by(new Reason("", reason))
            .with(Map.of("seconds", time.toSeconds())));
  }

  /** Without a key in the environment, who proved itself by a key could lock everybody out. */
  private void refuseIfLast(Stored key, Caller caller, long now) {
    boolean isNeeded = KeyGrant.isOfKey(caller.principal()) && !hasEnvironmentKey;
    if (isNeeded
        && views.grantsAll(key, now)
        && store.notEndedBefore(now).stream()
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
