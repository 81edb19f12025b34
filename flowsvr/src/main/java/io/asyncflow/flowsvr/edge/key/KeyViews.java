package io.asyncflow.flowsvr.edge.key;

import io.asyncflow.api.key.DeniedCaller;
import io.asyncflow.api.key.DeniedPage;
import io.asyncflow.api.key.KeyPage;
import io.asyncflow.api.key.KeyState;
import io.asyncflow.api.key.ListedKey;
import io.asyncflow.api.key.Me;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.key.AccessKeyStore;
import io.asyncflow.flowsvr.edge.access.key.AccessKeyStore.Stored;
import io.asyncflow.flowsvr.edge.access.key.KeyGrant;
import io.asyncflow.flowsvr.edge.access.session.OpenSession;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.KeySeals;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** Access keys as callers see them. Thread-safe. */
@Component
class KeyViews {

  /** Read at once: a caller may see few of them. */
  private static final int ROWS = 1_000;

  private static final KeyGrant NOTHING =
      new KeyGrant(Set.of(), List.of(), List.of(), List.of(), "", 0);

  private final AccessKeyStore store;
  private final KeySeals seals;

  KeyViews(AccessKeyStore store, KeySeals seals) {
    this.store = store;
    this.seals = seals;
  }

  /** The place of a key in the list, which is its cursor. */
  record Place(long createTime, String keyId) {

    private static final Place FIRST = new Place(Long.MAX_VALUE, "");

    static Place of(Stored key) {
      return new Place(key.row().createTime(), key.row().id());
    }

    @Override
    public String toString() {
      return createTime + "-" + keyId;
    }
  }

  KeyState stateOf(Stored key, long now) {
    return grantOf(key).isEmpty() ? KeyState.IGNORED : key.row().state(now);
  }

  /** Empty for a key that is ignored: what somebody else has written may be anything. */
  private Optional<KeyGrant> grantOf(Stored key) {
    return key.isGood(seals) ? KeyGrant.read(key.row()) : Optional.empty();
  }

  boolean grantsAll(Stored key, long now) {
    return key.row().isLive(now) && grantOf(key).filter(KeyGrant::isAll).isPresent();
  }

  /** Whether the key is there for a caller: one beyond its scope is not. */
  boolean isVisible(Stored key, Caller caller) {
    return !caller.isScoped()
        || grantOf(key).filter(grant -> caller.scope().covers(grant.scope())).isPresent();
  }

  /**
   * A page of the keys that a caller sees.
   *
   * @param state only keys in this state; {@code null} for all
   * @param after the last key of the page before; {@code null} for the first page
   */
  KeyPage page(KeyState state, int limit, Place after, Caller caller) {
    long now = store.version().now();
    List<Stored> keys = new ArrayList<>();
    Place place = after == null ? Place.FIRST : after;
    List<Stored> read;
    do {
      read = store.newestAfter(place.createTime(), place.keyId(), ROWS);
      read.stream()
          .filter(key -> isVisible(key, caller))
          .filter(key -> state == null || stateOf(key, now) == state)
          .limit(limit + 1L - keys.size())
          .forEach(keys::add);
      place = read.isEmpty() ? place : Place.of(read.get(read.size() - 1));
    } while (keys.size() <= limit && read.size() == ROWS);
    List<Stored> page = keys.subList(0, Math.min(limit, keys.size()));
    return new KeyPage(
        page.stream().map(key -> view(key, now)).toList(),
        keys.size() > limit ? Place.of(page.get(limit - 1)).toString() : null);
  }

  private ListedKey view(Stored key, long now) {
    AccessKeyRow row = key.row();
    KeyGrant grant = grantOf(key).orElse(NOTHING);
    return new ListedKey(
        row.id(),
        row.name(),
        names(grant.roles()),
        grant.types(),
        grant.stages(),
        grant.users(),
        grant.workerPrefix(),
        row.createdBy(),
        row.createTime(),
        row.expireTime(),
        row.end().revokeTime(),
        row.end().revokeReason(),
        row.end().replacedBy(),
        key.lastUsed(),
        stateOf(key, now),
        unlessZero(grant.rateLimit()),
        row.limits().certSan(),
        row.limits().notBefore() == 0 ? null : row.limits().notBefore());
  }

  /**
   * A page of the callers that are denied.
   *
   * @param after the last name of the page before; empty for the first page
   */
  DeniedPage denied(int limit, String after) {
    List<DeniedCaller> denied = store.denied(after, limit + 1);
    List<DeniedCaller> page = denied.subList(0, Math.min(limit, denied.size()));
    return new DeniedPage(page, denied.size() > limit ? page.get(limit - 1).principal() : null);
  }

  /**
   * What a caller is told about itself.
   *
   * @param session {@code null} if it has none
   */
  Me me(Caller caller, OpenSession session) {
    Scope scope = caller.scope();
    Optional<AccessKeyRow> key = rowOf(caller);
    return new Me(
        caller.principal(),
        caller.kind().name(),
        names(caller.roles()),
        names(caller.verbs()),
        scope.types().patterns(),
        scope.stages().patterns(),
        scope.users().patterns(),
        scope.workerPrefix(),
        session == null
            ? key.map(AccessKeyRow::expireTime).orElse(null)
            : Long.valueOf(session.expireTime()),
        session == null ? null : session.csrfToken(),
        key.map(row -> unlessZero(row.limits().rate())).orElse(null),
        key.map(row -> row.limits().certSan()).orElse(null));
  }

  private Optional<AccessKeyRow> rowOf(Caller caller) {
    return caller.kind() == Caller.Kind.KEY
        ? store.find(KeyGrant.keyIdOf(caller.principal())).map(Stored::row)
        : Optional.empty();
  }

  private static Integer unlessZero(int number) {
    return number == 0 ? null : number;
  }

  private static Set<String> names(Collection<? extends Enum<?>> values) {
    return values.stream().map(Enum::name).collect(Collectors.toCollection(LinkedHashSet::new));
  }
}
