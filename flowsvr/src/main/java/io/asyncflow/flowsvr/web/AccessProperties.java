package io.asyncflow.flowsvr.web;

import io.asyncflow.flowsvr.system.BadSettingException;
import java.net.InetAddress;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Who may talk to the server.
 *
 * @param apiKey what every request but health must bring; empty for none
 * @param address where to listen; {@code null} for loopback without a key, everywhere with one
 */
@ConfigurationProperties("flow.access")
record AccessProperties(String apiKey, InetAddress address) {

  AccessProperties {
    apiKey = apiKey == null ? "" : apiKey.strip();
  }

  boolean needsKey() {
    return !apiKey.isEmpty();
  }

  /**
   * @throws BadSettingException if strangers could reach it
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
