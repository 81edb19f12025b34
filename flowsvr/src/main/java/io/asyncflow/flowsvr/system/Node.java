package io.asyncflow.flowsvr.system;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** This process, as other servers and people see it. */
@Component
public class Node {

  private final String id = UUID.randomUUID().toString();
  private final String host = hostName();

  /** Random, new with every start. */
  public String id() {
    return id;
  }

  /** For people; never used to decide anything. */
  public String host() {
    return host;
  }

  /** The local monotonic clock: only its differences mean something. */
  public long nanoTime() {
    return System.nanoTime();
  }

  /** This machine's clock, for the age of files: nothing but tidying up may depend on it. */
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
