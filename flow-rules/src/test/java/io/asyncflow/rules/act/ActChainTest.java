package io.asyncflow.rules.act;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class ActChainTest {

  private static final byte[] BEGINNING = ActChain.beginning();

  @Test
  void linkDependsOnEachValueAndOnTheLinkBefore() {
    byte[] link = ActChain.next(BEGINNING, List.of("1", "PAUSE"));

    assertThat(link).hasSize(32).isEqualTo(ActChain.next(BEGINNING, List.of("1", "PAUSE")));
    assertThat(ActChain.next(BEGINNING, List.of("1", "RESUME"))).isNotEqualTo(link);
    assertThat(ActChain.next(link, List.of("1", "PAUSE"))).isNotEqualTo(link);
  }

  @Test
  void valuesAreNotTakenForEachOther() {
    assertThat(ActChain.next(BEGINNING, List.of("ab", "c")))
        .isNotEqualTo(ActChain.next(BEGINNING, List.of("a", "bc")));
    assertThat(ActChain.next(BEGINNING, Arrays.asList("", null)))
        .isNotEqualTo(ActChain.next(BEGINNING, Arrays.asList(null, "")));
  }

  /** The links of a database outlive the version that wrote them. */
  @Test
  void linkIsTheSameInEveryVersion() {
    assertThat(HexFormat.of().formatHex(ActChain.next(BEGINNING, Arrays.asList("1", null, "ä"))))
        .isEqualTo("21ca05fd87ea36314cb1c5f72ebdee271a097e9e7d01a5623ac29e966e540c3b");
  }
}
