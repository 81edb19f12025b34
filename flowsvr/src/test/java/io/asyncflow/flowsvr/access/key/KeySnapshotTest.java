package io.asyncflow.flowsvr.access.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.access.Role;
import io.asyncflow.flowsvr.access.key.AccessKeyStore.Stored;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.KeySeals;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

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

  private static KeySnapshot of(KeySnapshot before, AccessKeyRow... rows) {
    return before.next(
        before.version() + 1,
        List.of(rows).stream().map(row -> new Stored(row, null, null)).toList(),
        KeySeals.OFF);
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
    assertThat(use.takeUnwritten()).isEqualTo(5_000);
    assertThat(use.takeUnwritten()).isZero();
    use.note(5_999);
    assertThat(use.takeUnwritten()).isZero();
    use.note(6_000);
    assertThat(use.takeUnwritten()).isEqualTo(6_000);
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
