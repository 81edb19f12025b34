package io.asyncflow.rules.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asyncflow.rules.access.AccessKeyRow.Limits;
import io.asyncflow.rules.access.AccessKeyRow.Rights;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeySealsTest {

  private static final String OLD = "an-old-pepper-of-32-characters-..";
  private static final String NEW = "a-new-pepper-of-32-characters-...";
  private static final AccessKeyRow ROW =
      AccessKeyRow.of(
              new AccessKey("0123456789", "a".repeat(43)),
              "fleet",
              new Rights("WORKER", "tts,acme_*", "*", "[\"u\"]", "gpu-"),
              "local",
              1,
              2)
          .limited(new Limits("spiffe://acme/gpu", 10, 1));

  @Test
  void everyColumnIsUnderTheSeal() {
    KeySeals seals = KeySeals.of(NEW);
    byte[] seal = seals.seal(ROW.columns());
    assertThat(seals.isGood(ROW.columns(), seal)).isTrue();
    for (AccessKeyRow changed : changes()) {
      assertThat(seals.isGood(changed.columns(), seal)).as(changed.toString()).isFalse();
    }
    assertThat(seals.isGood(ROW.columns(), null)).isFalse();
  }

  @Test
  void rowsOfOtherTablesAreSealedUnderTheSameRules() {
    KeySeals seals = KeySeals.of(NEW + "," + OLD);
    List<Object> row = Arrays.asList("session", "id", null, 5L);
    byte[] old = KeySeals.under(OLD).seal(row);
    assertThat(seals.isGood(row, seals.seal(row))).isTrue();
    assertThat(seals.isGood(row, old)).isTrue();
    assertThat(seals.isCurrent(row, seals.seal(row))).isTrue();
    assertThat(seals.isCurrent(row, old)).isFalse();
    assertThat(seals.isGood(Arrays.asList("session", "id", "", 5L), old)).isFalse();
    assertThat(seals.isGood(Arrays.asList("sessioni", "d", null, 5L), old)).isFalse();
    assertThat(seals.isGood(row, seals.seal(ROW.columns()))).isFalse();
    assertThat(KeySeals.under("another").isGood(row, old)).isFalse();
    assertThat(KeySeals.OFF.seal(row)).isNull();
  }

  private static List<AccessKeyRow> changes() {
    List<AccessKeyRow> changed = new ArrayList<>();
    changed.add(ROW.revoked(3, "leaked"));
    changed.add(ROW.revoked(3, "leaked").revoked(3, ""));
    changed.add(ROW.replaced("9876543210", 2));
    changed.add(ROW.replaced(null, 1));
    changed.add(ROW.limited(new Limits(null, 10, 1)));
    changed.add(ROW.limited(new Limits("spiffe://acme/cpu", 10, 1)));
    changed.add(ROW.limited(new Limits("spiffe://acme/gpu", 0, 1)));
    changed.add(ROW.limited(new Limits("spiffe://acme/gpu", 10, 0)));
    for (int i = 0; i < sameTexts().length; i++) {
      String[] other = sameTexts();
      other[i] += "x";
      changed.add(row(other, ROW.hash(), 1));
    }
    // A character that moves to the next column changes the seal as well.
    String[] moved = sameTexts();
    moved[1] = "flee";
    moved[2] = "tWORKER";
    changed.add(row(moved, ROW.hash(), 1));
    changed.add(row(sameTexts(), new byte[32], 1));
    changed.add(row(sameTexts(), ROW.hash(), 0));
    return changed;
  }

  private static String[] sameTexts() {
    return new String[] {
      ROW.id(),
      ROW.name(),
      ROW.rights().roles(),
      ROW.rights().types(),
      ROW.rights().stages(),
      ROW.rights().users(),
      ROW.rights().workerPrefix(),
      ROW.createdBy()
    };
  }

  private static AccessKeyRow row(String[] t, byte[] hash, long createTime) {
    return new AccessKeyRow(
        t[0],
        t[1],
        hash,
        new Rights(t[2], t[3], t[4], t[5], t[6]),
        ROW.limits(),
        t[7],
        createTime,
        ROW.end());
  }

  @Test
  void twoPeppersAreGoodAndTheFirstIsCurrent() {
    byte[] oldSeal = KeySeals.of(OLD).seal(ROW.columns());
    KeySeals both = KeySeals.of(NEW + "," + OLD);
    assertThat(both.isGood(ROW.columns(), oldSeal)).isTrue();
    assertThat(both.isCurrent(ROW.columns(), oldSeal)).isFalse();
    assertThat(both.isCurrent(ROW.columns(), both.seal(ROW.columns()))).isTrue();
    assertThat(KeySeals.of(NEW).isGood(ROW.columns(), oldSeal)).isFalse();
  }

  @Test
  void aRowWithoutASealIsGoodOnlyWithoutAPepperOrByNone() {
    assertThat(KeySeals.of(" ").isGood(ROW.columns(), null)).isTrue();
    assertThat(KeySeals.of("").seal(ROW.columns())).isNull();
    KeySeals first = KeySeals.of(NEW + ",none");
    assertThat(first.isGood(ROW.columns(), null)).isTrue();
    assertThat(first.isCurrent(ROW.columns(), null)).isFalse();
    assertThat(first.isGood(ROW.columns(), KeySeals.of(OLD).seal(ROW.columns()))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "short",
        "none",
        ",",
        "a-pepper-long-enough,",
        "a-pepper-long-enough,short",
        "a-pepper-long-enough,a-pepper-long-enough,a-pepper-long-enough"
      })
  void aPepperIsLongAndThereAreTwoAtMost(String setting) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeySeals.of(setting))
        .withMessageStartingWith("a secret of at least 16 characters")
        .withMessageNotContaining("a-pepper-long-enough");
  }
}
