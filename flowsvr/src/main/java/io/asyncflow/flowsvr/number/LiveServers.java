package io.asyncflow.flowsvr.number;

import java.time.Duration;
import java.util.List;
import org.springframework.stereotype.Component;

/** The live servers: renewing its number is a server's heartbeat. Thread-safe. */
@Component
public class LiveServers {

  private final ServerNumberStore numbers;

  LiveServers(ServerNumberStore numbers) {
    this.numbers = numbers;
  }

  /**
   * A live server.
   *
   * @param node its id, new for every start
   * @param startTime epoch ms
   * @param lastBeat epoch ms of the last renewal of its number
   */
  public record LiveServer(
      String node, String host, int serverNumber, long startTime, long lastBeat) {}

  /** The servers with a live lease of their number, by number. */
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
