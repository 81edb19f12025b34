package io.asyncflow.flowsvr.edge.access.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.key.DeniedCaller;
import io.asyncflow.flowsvr.base.system.concurrent.RequestRate;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.key.AccessKeyStore.Stored;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.AccessKeyRow.Limits;
import io.asyncflow.rules.access.AccessKeyRow.Rights;
import io.asyncflow.rules.access.KeySeals;
import java.util.List;
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
          new Rights(
              "WORKER,ROLE_OF_TOMORROW", "tts,acme_*", "[\"speak, loud\"]", "[\"acme/*\"]", "gpu-"),
          "local",
          1,
          100);

  private static KeySnapshot of(KeySnapshot before, AccessKeyRow... rows) {
    return before.next(
        before.version() + 1,
        List.of(rows).stream().map(row -> new Stored(row, null, null)).toList(),
        List.of(),
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
    assertThat(live.hasEnded(principal, 99)).isFalse();
    assertThat(live.hasEnded(principal, 100)).isTrue();
    assertThat(of(live, row.revoked(50, "")).hasEnded(principal, 60)).isTrue();
    assertThat(of(live).hasEnded(principal, 60)).isTrue();
  }

  @Test
  void changedRowThatIsGoneIsForgotten() {
    AccessKeyRow bad =
        AccessKeyRow.of(key, "bad", new Rights("WORKER", "*", "[", "*", ""), "local", 1, 100);
    KeySnapshot forged = of(KeySnapshot.NOTHING, bad);
    assertThat(of(forged, bad).changed())
        .as("it is still there")
        .containsExactly(KeyGrant.principal(key.id()));
    assertThat(of(forged).changed()).isEmpty();
  }

  @Test
  void notMoreThanAThousandRowsAreTold() {
    AccessKeyRow[] forged =
        Stream.generate(AccessKey::random)
            .map(
                id ->
                    AccessKeyRow.of(
                        id, "bad", new Rights("WORKER", "*", "[", "*", ""), "local", 1, 100))
            .limit(KeySnapshot.MOST_CHANGED + 1)
            .toArray(AccessKeyRow[]::new);
    KeySnapshot many = of(KeySnapshot.NOTHING, forged);
    assertThat(many.changed()).hasSize(KeySnapshot.MOST_CHANGED);
    assertThat(of(many, forged).changed()).isEqualTo(many.changed());
  }

  @Test
  void rateOfAKeyGoesOnWhenKeysAreReadAgain() {
    KeySnapshot first = of(KeySnapshot.NOTHING, row.limited(new Limits(null, 1, 0)));
    RequestRate rate = first.find(key.id()).caller().rate();
    assertThat(rate.perSecond()).isEqualTo(1);
    assertThat(of(first, row.limited(new Limits(null, 1, 0))).find(key.id()).caller().rate())
        .isSameAs(rate);
    assertThat(of(KeySnapshot.NOTHING, row).find(key.id()).caller().rate()).isNull();
  }

  @Test
  void certificateProvesTheNewestKeyWithItsName() {
    AccessKeyRow old = row.limited(new Limits("spiffe://acme/gpu", 0, 0));
    AccessKey second = AccessKey.random();
    AccessKeyRow successor =
        AccessKeyRow.of(second, "fleet", Rights.everywhere("WORKER"), "local", 1, 200)
            .limited(new Limits("spiffe://acme/gpu", 0, 0));
    KeySnapshot both = of(KeySnapshot.NOTHING, old.replaced(second.id(), 90), successor);
    assertThat(both.findCertified(List.of("dns.example", "spiffe://acme/gpu"), 60).row().id())
        .isEqualTo(second.id());
    assertThat(both.findCertified(List.of("spiffe://acme/cpu"), 60)).isNull();
    assertThat(both.findCertified(List.of(), 60)).isNull();
    assertThat(of(KeySnapshot.NOTHING, row).certified()).isEmpty();
  }

  @Test
  void liveKeyCountsBeforeOneThatHasEnded() {
    AccessKeyRow ended = row.limited(new Limits("spiffe://acme/gpu", 0, 0)).revoked(50, "");
    AccessKey other = AccessKey.random();
    AccessKeyRow live =
        AccessKeyRow.of(other, "dns", Rights.everywhere("WORKER"), "local", 1, 200)
            .limited(new Limits("gpu.acme.example", 0, 0));
    KeySnapshot both = of(KeySnapshot.NOTHING, ended, live);
    List<String> names = List.of("spiffe://acme/gpu", "gpu.acme.example");
    assertThat(both.findCertified(names, 60).row().id()).isEqualTo(other.id());
    assertThat(both.findCertified(names, 200).row().id()).isEqualTo(key.id());
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "[null]", "[\"a\",null]", "{}", "1", "", "[", "[\"s*\"]"})
  void rowThatCannotBeReadIsIgnored(String stages) {
    AccessKeyRow bad =
        AccessKeyRow.of(key, "bad", new Rights("WORKER", "*", stages, "*", ""), "local", 1, 100);
    AccessKey other = AccessKey.random();
    KeySnapshot read =
        of(
            KeySnapshot.NOTHING,
            bad,
            AccessKeyRow.of(other, "good", Rights.everywhere("WORKER"), "local", 1, 100));
    assertThat(read.find(key.id())).isNull();
    assertThat(read.changed()).containsExactly(KeyGrant.principal(key.id()));
    assertThat(read.find(other.id())).isNotNull();
  }

  @Test
  void onlyAnAdminKeyWithoutAScopeGrantsAll() {
    AccessKeyRow admin =
        AccessKeyRow.of(key, "root", Rights.everywhere("ADMIN"), "cli:direct", 1, 100);
    AccessKeyRow scoped =
        AccessKeyRow.of(
            AccessKey.random(),
            "acme",
            new Rights("ADMIN", "acme_*", "*", "*", ""),
            "cli:direct",
            1,
            100);
    assertThat(of(KeySnapshot.NOTHING, admin).hasAdmin(99)).isTrue();
    assertThat(of(KeySnapshot.NOTHING, admin).hasAdmin(100)).isFalse();
    assertThat(of(KeySnapshot.NOTHING, admin.revoked(9, "")).hasAdmin(99)).isFalse();
    assertThat(of(KeySnapshot.NOTHING, scoped).hasAdmin(99)).isFalse();
  }

  private static final String ANN = "oidc:https://i.example#ann";

  private static DeniedCaller until(long end) {
    return new DeniedCaller(ANN, end);
  }

  private static KeySnapshot of(DeniedCaller row) {
    return KeySnapshot.NOTHING.next(1, List.of(), List.of(row), KeySeals.OFF, 0);
  }

  @Test
  void denialIsShortenedAndEndedByAServer() {
    assertThat(of(until(9_000)).isDenied(ANN, 8_999)).isTrue();
    assertThat(of(until(9_000)).hasEnded(ANN, 8_999)).isTrue();
    assertThat(of(until(9_000)).hasEnded(ANN, 9_000)).isFalse();
    assertThat(of(until(6_000)).isDenied(ANN, 6_000)).isFalse();
    assertThat(of(until(5_015)).isDenied(ANN, 5_020)).isFalse();
  }
}
