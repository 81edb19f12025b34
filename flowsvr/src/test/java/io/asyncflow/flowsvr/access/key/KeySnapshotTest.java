package io.asyncflow.flowsvr.access.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.access.Role;
import io.asyncflow.flowsvr.access.key.AccessKeyStore.Stored;
import io.asyncflow.flowsvr.system.concurrent.RequestRate;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.KeySeals;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeySnapshotTest {

  private final AccessKey key = AccessKey.random();
  private final AccessKeyRow row =
      AccessKeyRow.of(
          key,
          "fleet",
          "WORKER,ROLE_OF_TOMORROW",
          "tts,acme_*",
          "[\"speak, loud\"]",
          "[\"acme/*\"]",
          "gpu-",
          "local",
          1,
          100);

  private static final long SINCE = 10;

  private static KeySnapshot of(KeySnapshot before, AccessKeyRow... rows) {
    return before.next(
        before.version() + 1,
        List.of(rows).stream().map(row -> new Stored(row, null, null)).toList(),
        SINCE,
        KeySeals.OFF,
        0);
  }

  @Test
  void callerHasWhatTheRowSays() {
    KnownKey known = of(KeySnapshot.NOTHING, row).find(key.id());
    assertThat(known.caller().principal()).isEqualTo("key:" + key.id());
    assertThat(known.caller().roles()).containsExactly(Role.WORKER);
    assertThat(known.caller().scope().types().contains("acme_video")).isTrue();
    assertThat(known.caller().scope().types().contains("video")).isFalse();
    assertThat(known.caller().scope().stages().listed()).containsExactly("speak, loud");
    assertThat(known.caller().scope().users().contains("acme/7")).isTrue();
    assertThat(known.caller().scope().workerPrefix()).isEqualTo("gpu-");
    assertThat(known.grantsAll()).isFalse();
  }

  @Test
  void useIsNotForgottenWhenKeysAreReadAgain() {
    KeySnapshot first = of(KeySnapshot.NOTHING, row);
    first.find(key.id()).use().note(5_000);
    KnownKey.Use use = of(first, row).find(key.id()).use();
    assertThat(use.unwritten()).isEqualTo(5_000);
    assertThat(use.unwritten()).as("the write failed").isEqualTo(5_000);
    use.note(6_000);
    use.written(5_000);
    assertThat(use.unwritten()).as("used while it was written").isEqualTo(6_000);
    use.written(6_000);
    use.note(6_999);
    assertThat(use.unwritten()).isZero();
  }

  @Test
  void revokedExpiredAndDeletedKeysHaveEnded() {
    KeySnapshot live = of(KeySnapshot.NOTHING, row);
    String principal = KeyGrant.principal(key.id());
    assertThat(live.ended(99)).isEmpty();
    assertThat(live.ended(100)).containsExactly(principal);
    assertThat(of(live, row.revoked(50, "")).ended(60)).containsExactly(principal);
    KeySnapshot deleted = of(live);
    assertThat(deleted.ended(60)).containsExactly(principal);
    assertThat(deleted.refused()).isEqualTo(Set.of(key.id()));
    assertThat(of(of(deleted), row).refused()).isEmpty();
  }

  @Test
  void refusedRowThatIsGoneIsForgotten() {
    AccessKeyRow bad = AccessKeyRow.of(key, "bad", "WORKER", "*", "[", "*", "", "local", 1, 100);
    KeySnapshot forged = of(KeySnapshot.NOTHING, bad);
    assertThat(of(forged, bad).refused()).as("it is still there").containsExactly(key.id());
    assertThat(of(forged).refused()).isEmpty();
    KeySnapshot deleted = of(of(KeySnapshot.NOTHING, row));
    assertThat(deleted.refused()).containsExactly(key.id());
    assertThat(of(deleted).refused()).isEmpty();
  }

  @Test
  void notMoreThanAThousandRowsAreRefusedAndFirstThoseThatWereKnown() {
    KeySnapshot live = of(KeySnapshot.NOTHING, row);
    AccessKeyRow[] forged =
        Stream.generate(AccessKey::random)
            .map(id -> AccessKeyRow.of(id, "bad", "WORKER", "*", "[", "*", "", "local", 1, 100))
            .limit(KeySnapshot.MOST_REFUSED + 1)
            .toArray(AccessKeyRow[]::new);
    KeySnapshot many = of(live, forged);
    assertThat(many.refused()).hasSize(KeySnapshot.MOST_REFUSED).contains(key.id());
    Set<String> again = of(many, forged).refused();
    assertThat(again).hasSize(KeySnapshot.MOST_REFUSED);
    assertThat(again.stream().filter(id -> !many.refused().contains(id))).hasSize(1);
  }

  @Test
  void keyThatEndedLongAgoIsForgottenAndNotRefused() {
    AccessKeyRow ended = row.revoked(SINCE - 1, "");
    KeySnapshot forgotten = of(of(KeySnapshot.NOTHING, ended));
    assertThat(forgotten.find(key.id())).isNull();
    assertThat(forgotten.refused()).isEmpty();
    assertThat(of(of(KeySnapshot.NOTHING, row.revoked(SINCE, ""))).refused())
        .containsExactly(key.id());
  }

  @Test
  void rateOfAKeyGoesOnWhenKeysAreReadAgain() {
    KeySnapshot first = of(KeySnapshot.NOTHING, row.limited(null, 1, 0));
    RequestRate rate = first.find(key.id()).caller().rate();
    assertThat(rate.perSecond()).isEqualTo(1);
    assertThat(of(first, row.limited(null, 1, 0)).find(key.id()).caller().rate()).isSameAs(rate);
    assertThat(of(KeySnapshot.NOTHING, row).find(key.id()).caller().rate()).isNull();
  }

  @Test
  void certificateProvesTheNewestKeyWithItsName() {
    AccessKeyRow old = row.limited("spiffe://acme/gpu", 0, 0);
    AccessKey second = AccessKey.random();
    AccessKeyRow successor =
        AccessKeyRow.of(second, "fleet", "WORKER", "*", "*", "*", "", "local", 1, 200)
            .limited("spiffe://acme/gpu", 0, 0);
    KeySnapshot both = of(KeySnapshot.NOTHING, old.replaced(second.id(), 90), successor);
    assertThat(both.findCertified(List.of("dns.example", "spiffe://acme/gpu"), 60).row().id())
        .isEqualTo(second.id());
    assertThat(both.findCertified(List.of("spiffe://acme/cpu"), 60)).isNull();
    assertThat(both.findCertified(List.of(), 60)).isNull();
    assertThat(of(KeySnapshot.NOTHING, row).certified()).isEmpty();
  }

  @Test
  void liveKeyCountsBeforeOneThatHasEnded() {
    AccessKeyRow ended = row.limited("spiffe://acme/gpu", 0, 0).revoked(50, "");
    AccessKey other = AccessKey.random();
    AccessKeyRow live =
        AccessKeyRow.of(other, "dns", "WORKER", "*", "*", "*", "", "local", 1, 200)
            .limited("gpu.acme.example", 0, 0);
    KeySnapshot both = of(KeySnapshot.NOTHING, ended, live);
    List<String> names = List.of("spiffe://acme/gpu", "gpu.acme.example");
    assertThat(both.findCertified(names, 60).row().id()).isEqualTo(other.id());
    assertThat(both.findCertified(names, 200).row().id()).isEqualTo(key.id());
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "[null]", "[\"a\",null]", "{}", "1", "", "[", "[\"s*\"]"})
  void rowThatCannotBeReadIsIgnored(String stages) {
    AccessKeyRow bad = AccessKeyRow.of(key, "bad", "WORKER", "*", stages, "*", "", "local", 1, 100);
    AccessKey other = AccessKey.random();
    KeySnapshot read =
        of(
            KeySnapshot.NOTHING,
            bad,
            AccessKeyRow.of(other, "good", "WORKER", "*", "*", "*", "", "local", 1, 100));
    assertThat(read.find(key.id())).isNull();
    assertThat(read.refused()).containsExactly(key.id());
    assertThat(read.find(other.id())).isNotNull();
  }

  @Test
  void onlyAnAdminKeyWithoutAScopeGrantsAll() {
    AccessKeyRow admin =
        AccessKeyRow.of(key, "root", "ADMIN", "*", "*", "*", "", "cli:direct", 1, 100);
    AccessKeyRow scoped =
        AccessKeyRow.of(
            AccessKey.random(), "acme", "ADMIN", "acme_*", "*", "*", "", "cli:direct", 1, 100);
    assertThat(of(KeySnapshot.NOTHING, admin).hasAdmin(99)).isTrue();
    assertThat(of(KeySnapshot.NOTHING, admin).hasAdmin(100)).isFalse();
    assertThat(of(KeySnapshot.NOTHING, admin.revoked(9, "")).hasAdmin(99)).isFalse();
    assertThat(of(KeySnapshot.NOTHING, scoped).hasAdmin(99)).isFalse();
  }
}
