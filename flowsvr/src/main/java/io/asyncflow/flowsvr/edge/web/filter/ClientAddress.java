package io.asyncflow.flowsvr.edge.web.filter;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
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

  /**
   * What one client has at least: its IPv4 address, or the /64 of an IPv6 address, which has 2^64
   * others. Empty if the text is no address.
   */
  public static Optional<String> networkOf(String address) {
    return parse(address).map(ClientAddress::networkOf);
  }

  private static String networkOf(InetAddress address) {
    if (address instanceof Inet4Address) {
      return address.getHostAddress();
    }
    byte[] bytes = address.getAddress();
    Arrays.fill(bytes, 8, 16, (byte) 0);
    try {
      return InetAddress.getByAddress(bytes).getHostAddress() + "/64";
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("sixteen bytes are an address", e);
    }
  }
}
