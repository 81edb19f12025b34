package io.asyncflow.flowsvr.task.number;

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
   * @param version of the server program; empty if unknown
   * @param weight its share of the schedules' load, beside the weights of the others; 0 for none
   * @param busy per cent of the last minute that it spent making fires
   */
  public record LiveServer(
      String node,
      String host,
      int serverNumber,
      long startTime,
      long lastBeat,
      String version,
      int weight,
      int busy) {}

  /** The servers with a live lease of their number, by number. */
  public List<LiveServer> list() {
    return thatBeatWithin(ServerNumber.LEASE);
  }

  /**
   * The servers that renewed the lease of their number within this time, by number. Servers do so
   * every three seconds.
   *
   * @param time at most 60 s, the length of the lease
   */
  public List<LiveServer> thatBeatWithin(Duration time) {
    return numbers.live(time);
  }
}
