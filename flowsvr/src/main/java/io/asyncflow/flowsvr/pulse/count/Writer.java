package io.asyncflow.flowsvr.pulse.count;

import io.asyncflow.flowsvr.system.Node;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** The number under which this server writes rows that no other server touches. */
@Component
public class Writer {

  private final int number;

  public Writer(Node node) {
    this.number = numberOf(node.id());
  }

  /** 31 bits of a random id; never 0. */
  static int numberOf(String nodeId) {
    int bits = (int) UUID.fromString(nodeId).getLeastSignificantBits() & Integer.MAX_VALUE;
    return Math.max(1, bits);
  }

  public int number() {
    return number;
  }
}
