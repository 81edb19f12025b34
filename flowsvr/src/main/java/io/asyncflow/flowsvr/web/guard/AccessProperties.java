package io.asyncflow.flowsvr.web.guard;

import io.asyncflow.flowsvr.system.BadSettingException;
import java.net.InetAddress;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of access to the server.
 *
 * @param apiKey the key that every request but health must carry; empty for none
 * @param address the address to listen on; {@code null} means loopback without a key and all
 *     addresses with one
 * @param hosts further host names that a server without a key answers to, besides those of loopback
 */
@ConfigurationProperties("flow.access")
record AccessProperties(String apiKey, InetAddress address, List<String> hosts) {

  AccessProperties {
    apiKey = apiKey == null ? "" : apiKey.strip();
    hosts = hosts == null ? List.of() : hosts;
  }

  boolean needsKey() {
    return !apiKey.isEmpty();
  }

  /**
   * @throws BadSettingException if other machines could reach a server without a key
   */
  InetAddress listenAddress() {
    if (address == null) {
      return needsKey() ? null : InetAddress.getLoopbackAddress();
    }
    if (!needsKey() && !address.isLoopbackAddress()) {
      throw new BadSettingException(
          "FLOW_ADDRESS "
              + address.getHostAddress()
              + " is reachable from other machines and there is no FLOW_API_KEY; set a key, or"
              + " listen on 127.0.0.1.");
    }
    return address;
  }
}
