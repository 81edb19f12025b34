package io.asyncflow.flowsvr.base.system;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** The identity of this process, and its clocks. */
@Component
public class Node {

  private final UUID uuid = UUID.randomUUID();
  private final String id = uuid.toString();
  private final int number = Math.max(1, (int) uuid.getLeastSignificantBits() & Integer.MAX_VALUE);
  private final String host = hostName();

  /** Random id, new at every start. */
  public String id() {
    return id;
  }

  /** The number under which this process writes rows that no other touches: 31 bits; never 0. */
  public int number() {
    return number;
  }

  /** Host name for people; no decision depends on it. */
  public String host() {
    return host;
  }

  /** The local monotonic clock in ns; only differences are meaningful. */
  public long nanoTime() {
    return System.nanoTime();
  }

  /** This machine's clock, for the age of files; only cleaning may depend on it. */
  public Instant wallClock() {
    return Instant.now();
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
