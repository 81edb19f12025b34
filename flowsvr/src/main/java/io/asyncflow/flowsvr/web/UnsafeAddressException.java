package io.asyncflow.flowsvr.web;

import java.net.InetAddress;

/** The server was told to listen to the network without a key that keeps strangers out. */
public class UnsafeAddressException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnsafeAddressException(InetAddress address) {
    super(
        "FLOW_ADDRESS "
            + address.getHostAddress()
            + " is reachable from other machines and there is no FLOW_API_KEY; set a key, or listen"
            + " on 127.0.0.1.");
  }
}
