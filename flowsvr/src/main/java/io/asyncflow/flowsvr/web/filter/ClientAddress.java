package io.asyncflow.flowsvr.web.filter;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads the address of a client. */
public final class ClientAddress {

  private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  private static final Pattern IPV4 = Pattern.compile(BYTE + "(\\." + BYTE + "){3}");

  private ClientAddress() {}

  /**
   * The address; empty if the text is none. Behind a proxy the client may forge it, so a text that
   * is not an address must not cause a DNS lookup.
   */
  public static Optional<InetAddress> parse(String address) {
    try {
      if (address.indexOf(':') >= 0) {
        return Optional.of(InetAddress.getByName("[" + address + "]")); // accepts literals only
      }
      return IPV4.matcher(address).matches()
          ? Optional.of(InetAddress.getByName(address))
          : Optional.empty();
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }
}
