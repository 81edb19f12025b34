package io.asyncflow.flowsvr.compose.hook.egress;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A range of addresses in CIDR notation. An IPv6 address that maps an IPv4 one is this IPv4
 * address, as {@link InetAddress} has it.
 *
 * @param first any address of the range
 * @param bits how many of its first bits all addresses of the range share
 */
record AddressRange(InetAddress first, int bits) {

  private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  private static final Pattern IPV4 = Pattern.compile(BYTE + "(\\." + BYTE + "){3}");
  private static final Pattern IPV6 = Pattern.compile("[0-9a-f:.]*:[0-9a-f:.]*");

  /** Parses {@code address/bits}. */
  static Optional<AddressRange> parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length != 2 || !parts[1].matches("[0-9]{1,3}")) {
      return Optional.empty();
    }
    int bits = Integer.parseInt(parts[1]);
    return literal(parts[0])
        .filter(address -> bits <= address.getAddress().length * Byte.SIZE)
        .map(address -> new AddressRange(address, bits));
  }

  /**
   * Parses an address in its usual form. Decimal, octal and hexadecimal forms of an IPv4 address
   * are none, although many resolvers take them.
   */
  static Optional<InetAddress> literal(String text) {
    if (!IPV4.matcher(text).matches() && !IPV6.matcher(text).matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(InetAddress.getByName(text)); // no name, so it asks no name server
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }

  boolean contains(InetAddress address) {
    byte[] bytes = address.getAddress();
    int shift = bytes.length * Byte.SIZE - bits;
    return bytes.length == first.getAddress().length
        && number(bytes).shiftRight(shift).equals(number(first.getAddress()).shiftRight(shift));
  }

  private static BigInteger number(byte[] bytes) {
    return new BigInteger(1, bytes);
  }
}
