package io.asyncflow.flowsvr.number;

import java.time.Duration;
import java.util.List;
import org.springframework.stereotype.Component;

/** The servers that live: a server's heartbeat is that it keeps its number. */
@Component
public class LiveServers {

  private final ServerNumberStore numbers;

  LiveServers(ServerNumberStore numbers) {
    this.numbers = numbers;
  }

  /**
   * A server.
   *
   * @param node its id, new with every start
   * @param startTime epoch ms
   * @param lastBeat epoch ms
   */
  public record LiveServer(
      String node, String host, int serverNumber, long startTime, long lastBeat) {}

  /** Those that kept their number lately, the lowest number first. */
  public List<LiveServer> list() {
    Duration lease = ServerNumber.LEASE;
    return numbers.held().stream()
        .map(
            held ->
                new LiveServer(
                    held.owner(),
                    held.host(),
                    held.serverNumber(),
                    held.startTime(),
                    held.leaseEnd() - lease.toMillis()))
        .toList();
  }
}
