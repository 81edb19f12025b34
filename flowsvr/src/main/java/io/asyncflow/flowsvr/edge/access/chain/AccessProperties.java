package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import java.net.InetAddress;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of access to the server.
 *
 * @param mode how callers prove themselves; by default by the key if there is one
 * @param apiKey the key that every request but health must carry; empty for none
 * @param address the address to listen on; {@code null} means loopback in mode local and all
 *     addresses otherwise
 * @param hosts further host names that a server in mode local answers to, besides those of loopback
 * @param docs whether the description of the API and its test page are served; by default in mode
 *     local
 */
@ConfigurationProperties("flow.access")
record AccessProperties(
    Mode mode, String apiKey, InetAddress address, List<String> hosts, Boolean docs) {

  /** How callers prove themselves. */
  enum Mode {
    /** By reaching loopback. */
    LOCAL,
    /** By the one key of the server. */
    KEY,
    /** By access keys, and the key of the server if it has one. */
    KEYS
  }

  AccessProperties {
    apiKey = apiKey == null ? "" : apiKey.strip();
    hosts = hosts == null ? List.of() : hosts;
    if (mode == null) {
      mode = apiKey.isEmpty() ? Mode.LOCAL : Mode.KEY;
    }
    if (docs == null) {
      docs = mode == Mode.LOCAL;
    }
  }

  /** Without the key, because texts of records get into logs. */
  @Override
  public String toString() {
    return "AccessProperties[mode=" + mode + "]";
  }

  boolean isLocal() {
    return mode == Mode.LOCAL;
  }

  /**
   * @throws BadSettingException if other machines could reach a server in mode local
   */
  InetAddress listenAddress() {
    if (address == null) {
      return isLocal() ? InetAddress.getLoopbackAddress() : null;
    }
    if (isLocal() && !address.isLoopbackAddress()) {
      throw new BadSettingException(
          "FLOW_ADDRESS "
              + address.getHostAddress()
              + " is reachable from other machines and there is no FLOW_API_KEY; set a key, or"
              + " listen on 127.0.0.1.");
    }
    return address;
  }
}
