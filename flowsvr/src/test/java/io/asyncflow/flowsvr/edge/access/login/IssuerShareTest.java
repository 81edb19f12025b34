package io.asyncflow.flowsvr.edge.access.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.IssuerLogIn.Reason;
import io.asyncflow.console.IssuerLogIn.RefusedException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.access.login.IssuerShare.Asking;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IssuerShareTest {

  private static final String STRANGER = "192.0.2.7";
  private static final String OFFICE = "198.51.100.1";

  private Duration now = Duration.ZERO;
  private final Node node =
      new Node() {
        @Override
        public long nanoTime() {
          return now.toNanos();
        }
      };
  private final IssuerShare share = new IssuerShare(node, true);

  private static void tryInVain(IssuerShare share, String address) {
    assertThatThrownBy(
            () ->
                share.tryWith(
                    address,
                    () -> {
                      throw new RefusedException(Reason.UNPROVEN);
                    }))
        .isInstanceOf(RefusedException.class);
  }

  private String ask(String address) throws RefusedException {
    return share.ask(address, () -> "asked");
  }

  /** What happens while so many requests from addresses wait for the issuer. */
  private String whileWaiting(List<String> addresses, Asking<String, RefusedException> then)
      throws RefusedException {
    if (addresses.isEmpty()) {
      return then.ask();
    }
    List<String> rest = addresses.subList(1, addresses.size());
    return share.ask(addresses.get(0), () -> whileWaiting(rest, then));
  }

  private static void assertTooMany(ErrorCode code, Asking<?, ?> asking) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(asking::ask)
        .extracting(FlowException::errorCode)
        .isEqualTo(code);
  }

  @Test
  void networkThatWaitsKeepsNoOtherOneWaiting() throws RefusedException {
    whileWaiting(
        List.of(STRANGER, STRANGER),
        () -> {
          assertTooMany(ErrorCode.UNAVAILABLE, () -> ask(STRANGER));
          return ask(OFFICE);
        });
    assertThat(ask(STRANGER)).isEqualTo("asked");
    whileWaiting(
        List.of("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"),
        () -> {
          assertTooMany(ErrorCode.UNAVAILABLE, () -> ask("2001:db8:1:2::3"));
          return ask("2001:db8:1:3::1");
        });
  }

  @Test
  void allNetworksTogetherTakeSoManyThreads() throws RefusedException {
    List<String> many =
        IntStream.range(0, IssuerShare.MOST_WAITING).mapToObj(i -> "192.0.2." + i).toList();
    whileWaiting(
        many,
        () -> {
          assertTooMany(ErrorCode.UNAVAILABLE, () -> ask(OFFICE));
          return "";
        });
    assertThat(ask(OFFICE)).isEqualTo("asked");
  }

  @Test
  void networkWhoseCodesProveNobodyAsksNoMoreForAMinute() throws RefusedException {
    for (int i = 0; i < IssuerShare.TRIES_A_MINUTE; i++) {
      tryInVain(share, STRANGER);
    }
    assertTooMany(
        ErrorCode.LIMIT_EXCEEDED,
        () ->
            share.tryWith(
                STRANGER,
                () -> {
                  throw new IllegalStateException("the issuer was asked");
                }));
    assertThat(share.tryWith(OFFICE, () -> "ann")).isEqualTo("ann");
    now = now.plusSeconds(61);
    assertThat(share.tryWith(STRANGER, () -> "ann")).isEqualTo("ann");
  }

  @Test
  void issuerThatDoesNotAnswerCountsAsATryAndAPersonDoesNot() throws RefusedException {
    for (int i = 0; i < 10 * IssuerShare.TRIES_A_MINUTE; i++) {
      assertThat(share.tryWith(OFFICE, () -> "ann")).isEqualTo("ann");
    }
    for (int i = 0; i < IssuerShare.TRIES_A_MINUTE; i++) {
      assertTooMany(
          ErrorCode.UNAVAILABLE,
          () ->
              share.tryWith(
                  STRANGER,
                  () -> {
                    throw new FlowException(ErrorCode.UNAVAILABLE, "it does not answer");
                  }));
    }
    assertTooMany(ErrorCode.LIMIT_EXCEEDED, () -> share.tryWith(STRANGER, () -> "ann"));
  }

  /** Otherwise the colleagues who press the button at nine would use up each other's tries. */
  @Test
  void whoFoundTheNetworkWaitingHasNotTried() throws RefusedException {
    whileWaiting(
        List.of(OFFICE, OFFICE),
        () -> {
          for (int i = 0; i < 2 * IssuerShare.TRIES_A_MINUTE; i++) {
            assertTooMany(ErrorCode.UNAVAILABLE, () -> share.tryWith(OFFICE, () -> "ann"));
          }
          return "";
        });
    assertThat(share.tryWith(OFFICE, () -> "ann")).isEqualTo("ann");
  }

  @Test
  void behindAProxyNobodyIsKeptOutForOthers() throws RefusedException {
    IssuerShare proxied = new IssuerShare(node, false);
    for (int i = 0; i < 2 * IssuerShare.TRIES_A_MINUTE; i++) {
      tryInVain(proxied, OFFICE);
    }
    String four =
        proxied.ask(
            OFFICE,
            () ->
                proxied.ask(
                    OFFICE, () -> proxied.ask(OFFICE, () -> proxied.ask(OFFICE, () -> "4"))));
    assertThat(four).isEqualTo("4");
  }
}
