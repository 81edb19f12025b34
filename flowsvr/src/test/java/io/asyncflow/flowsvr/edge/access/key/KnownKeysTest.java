package io.asyncflow.flowsvr.edge.access.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.api.key.DeniedCaller;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.key.AccessKeyStore.Stored;
import io.asyncflow.flowsvr.edge.access.key.AccessKeyStore.Version;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.AccessKeyRow.Limits;
import io.asyncflow.rules.access.AccessKeyRow.Rights;
import io.asyncflow.rules.access.KeySeals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;

/** What a server knows of keys, and when it asks the database. */
class KnownKeysTest {

  private static final long BEGIN = 5_000_000;
  private static final long THIRTY_DAYS = Duration.ofDays(30).toMillis();
  private static final String OLD = "the-pepper-before-this-one";
  private static final String NEW = "the-pepper-of-these-days";

  private final AccessKeyStore store = mock();
  private final Acts acts = mock();
  private final DatabaseWatch database = mock();
  private final OpenCalls calls = new OpenCalls();
  private final StoppedNode node = new StoppedNode();
  private final List<Stored> rows = new ArrayList<>();
  private long version = 1;
  private KnownKeys keys;

  private static final class StoppedNode extends Node {
    private long nanos = -7;

    @Override
    public long nanoTime() {
      return nanos;
    }

    void pass(Duration time) {
      nanos += time.toNanos();
    }
  }

  private KnownKeys started(KeySeals seals, String environmentKey) {
    when(database.isUp()).thenReturn(true);
    when(store.version()).thenAnswer(any -> new Version(version, BEGIN));
    when(store.all()).thenAnswer(any -> List.copyOf(rows));
    when(store.notEndedBefore(BEGIN - THIRTY_DAYS)).thenAnswer(any -> List.copyOf(rows));
    keys = new KnownKeys(store, seals, calls, database, acts, node, environmentKey);
    keys.load();
    return keys;
  }

  private KnownKeys started() {
    return started(KeySeals.OFF, "a key in the environment");
  }

  private Caller find(AccessKey key) {
    return keys.find(key.text(), List::of);
  }

  private AccessKey added(String roles, long expireTime) {
    AccessKey key = AccessKey.random();
    rows.add(stored(key, roles, expireTime, null));
    version++;
    return key;
  }

  private static Stored stored(AccessKey key, String roles, long expireTime, KeySeals seals) {
    AccessKeyRow row =
        AccessKeyRow.of(key, "any", Rights.everywhere(roles), "local", 1, expireTime);
    return new Stored(row, seals == null ? null : seals.seal(row.columns()), null);
  }

  @Test
  void knownKeyCostsNoStatement() {
    AccessKey key = added("WORKER", BEGIN + 1);
    started();
    for (int i = 0; i < 100; i++) {
      assertThat(find(key).principal()).isEqualTo("key:" + key.id());
    }
    verify(store, times(1)).version();
  }

  @Test
  void unknownKeyCausesOneLookASecond() {
    started();
    for (int i = 0; i < 100; i++) {
      assertThat(find(AccessKey.random())).isNull();
    }
    verify(store, times(2)).version(); // one at the start
    AccessKey key = added("WORKER", BEGIN + 10_000);
    assertThat(find(key)).isNull();
    node.pass(Duration.ofSeconds(1));
    assertThat(find(key)).isNotNull();
    verify(store, times(3)).version();
  }

  @Test
  void unknownKeyCausesNoLookWhileTheDatabaseIsAway() {
    started();
    when(database.isUp()).thenReturn(false);
    assertThat(find(AccessKey.random())).isNull();
    verify(store, times(1)).version();
  }

  @Test
  void whatIsKnownStaysWhileTheDatabaseIsAwayAndExpiresByItsClock() {
    AccessKey key = added("WORKER", BEGIN + 60_000);
    started();
    when(store.version()).thenThrow(new DataAccessResourceFailureException("away"));
    assertThatExceptionOfType(DataAccessResourceFailureException.class)
        .isThrownBy(() -> keys.refresh(false));
    assertThat(find(AccessKey.random())).isNull();
    node.pass(Duration.ofMillis(59_999));
    assertThat(find(key)).isNotNull();
    node.pass(Duration.ofMillis(1));
    assertThatExceptionOfType(KeyRefusedException.class).isThrownBy(() -> find(key));
  }

  @Test
  void keysAreReadOnlyWhenTheirVersionHasChanged() {
    started();
    verify(store, times(1)).notEndedBefore(anyLong());
    keys.refresh(false);
    verify(store, times(1)).notEndedBefore(anyLong());
    AccessKey key = added("WORKER", BEGIN + 1);
    keys.refresh(false);
    verify(store, times(2)).notEndedBefore(anyLong());
    assertThat(find(key)).isNotNull();
  }

  @Test
  void keysAreReadAgainWhenSomethingIsToldOrAMinuteHasPassed() {
    started();
    keys.on(AccessKeysChanged.HERE);
    verify(store, times(2)).notEndedBefore(anyLong());
    for (int i = 0; i < 20; i++) {
      keys.poll();
    }
    verify(store, times(3)).notEndedBefore(anyLong());
  }

  private void deny(DeniedCaller... callers) {
    when(store.denied("", Integer.MAX_VALUE)).thenReturn(List.of(callers));
  }

  @Test
  void denialGoesOnUntilItsTimeOrUntilAServerEndsIt() {
    deny(
        new DeniedCaller("oidc:i#ann", BEGIN + 60_000),
        new DeniedCaller("oidc:i#bob", BEGIN + 60_000));
    started(KeySeals.of(NEW), "a key in the environment");
    assertThat(keys.isDenied("oidc:i#ann")).isTrue();
    assertThat(keys.isDenied("oidc:i#bob")).isTrue();

    deny(new DeniedCaller("oidc:i#ann", BEGIN + 60_000), new DeniedCaller("oidc:i#bob", BEGIN));
    version++;
    keys.poll();
    assertThat(keys.isDenied("oidc:i#ann")).isTrue();
    assertThat(keys.isDenied("oidc:i#bob")).as("let in again by a server").isFalse();
    verify(acts, never()).recordOwn(any(Act.class));
    node.pass(Duration.ofMinutes(1));
    assertThat(keys.isDenied("oidc:i#ann")).as("its time is over").isFalse();
  }

  @Test
  void recordOfAChangedRowThatFailedIsWrittenLater() {
    started(KeySeals.of(NEW), "a key in the environment");
    rows.add(stored(AccessKey.random(), "ADMIN", BEGIN + 1, null));
    version++;
    doThrow(new DataAccessResourceFailureException("away"))
        .doNothing()
        .when(acts)
        .recordOwn(any(Act.class));
    assertThatExceptionOfType(DataAccessResourceFailureException.class).isThrownBy(keys::poll);
    keys.poll();
    keys.poll();
    verify(acts, times(2)).recordOwn(any(Act.class));
  }

  @Test
  void rowWithoutAGoodSealCountsForNothingAndTheOthersGetTheNewSeal() {
    KeySeals before = KeySeals.of(OLD);
    AccessKey good = AccessKey.random();
    AccessKey forged = AccessKey.random();
    Stored old = stored(good, "ADMIN", BEGIN + 1, before);
    rows.add(old);
    rows.add(stored(forged, "ADMIN", BEGIN + 1, KeySeals.of("a-pepper-of-somebody-else")));
    started(KeySeals.of(NEW + "," + OLD), "");
    assertThat(find(good)).isNotNull();
    assertThat(find(forged)).isNull();
    assertThat(keys.snapshot().changed()).containsExactly(KeyGrant.principal(forged.id()));
    verify(store, times(1)).reseal(any(Stored.class));
    verify(store).reseal(old);
  }

  @Test
  void rowThatCannotBeReadCountsForNothing() {
    AccessKey key = AccessKey.random();
    AccessKeyRow row =
        AccessKeyRow.of(
            key, "any", new Rights("WORKER", "*", "no list", "*", ""), "local", 1, BEGIN + 1);
    rows.add(new Stored(row, null, null));
    started();
    assertThat(find(key)).isNull();
    verify(store, never()).reseal(any(Stored.class));
  }

  @Test
  void certificateAloneProvesTheKeyThatNamesIt() {
    AccessKey key = AccessKey.random();
    rows.add(
        new Stored(
            AccessKeyRow.of(key, "any", Rights.everywhere("WORKER"), "local", 1, BEGIN + 10)
                .limited(new Limits("spiffe://acme/gpu", 0, BEGIN + 5)),
            null,
            null));
    started();
    Supplier<List<String>> certificate = () -> List.of("spiffe://acme/gpu");
    assertRefused("pending", () -> keys.find(null, certificate));
    node.pass(Duration.ofMillis(5));
    assertThat(keys.find(null, certificate).principal()).isEqualTo("key:" + key.id());
    assertThat(keys.find(key.text(), certificate).principal()).isEqualTo("key:" + key.id());
    assertThat(keys.find(null, () -> List.of("spiffe://acme/cpu"))).isNull();
    assertThat(keys.find("no key", certificate)).isNull();
    assertRefused("certificate", () -> keys.find(key.text(), List::of));
    node.pass(Duration.ofMillis(5));
    assertRefused("expired", () -> keys.find(null, certificate));
  }

  private static void assertRefused(String ground, ThrowingCallable call) {
    assertThatExceptionOfType(KeyRefusedException.class)
        .isThrownBy(call)
        .extracting("ground")
        .isEqualTo(ground);
  }

  @Test
  void certificateIsNotReadWhereItDecidesNothing() {
    AccessKey key = added("WORKER", BEGIN + 1);
    started();
    Supplier<List<String>> unread =
        () -> {
          throw new AssertionError("read");
        };
    assertThat(keys.find(key.text(), unread)).isNotNull();
    assertThat(keys.find("no key", unread)).isNull();
  }

  @Test
  void badRowDoesNotStopTheOthers() {
    AccessKey key = AccessKey.random();
    rows.add(
        new Stored(
            AccessKeyRow.of(
                key, "bad", new Rights("WORKER", "*", "null", "*", ""), "local", 1, BEGIN + 1),
            null,
            null));
    AccessKey good = added("WORKER", BEGIN + 1);
    started();
    assertThat(find(good)).isNotNull();
    assertThat(find(key)).isNull();
    AccessKey later = added("WORKER", BEGIN + 1);
    keys.refresh(false);
    assertThat(find(later)).isNotNull();
  }

  @Test
  void serverDoesNotStartIfNobodyCouldMakeAKey() {
    added("ADMIN", BEGIN);
    added("WORKER,OPERATOR", BEGIN + 1);
    assertThatExceptionOfType(BadSettingException.class)
        .isThrownBy(() -> started(KeySeals.OFF, ""))
        .withMessageContaining("./asyncflow key create NAME --role ADMIN --direct");
    added("ADMIN", BEGIN + 1);
    started(KeySeals.OFF, "");
  }
}
