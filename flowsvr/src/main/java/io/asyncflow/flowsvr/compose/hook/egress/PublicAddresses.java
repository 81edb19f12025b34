package io.asyncflow.flowsvr.compose.hook.egress;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which addresses belong to the public internet, by the registries of special addresses of IANA
 * (RFC 6890).
 */
final class PublicAddresses {

  private static final List<AddressRange> SPECIAL_IPV4 =
      ranges(
          "0.0.0.0/8", // this network
          "10.0.0.0/8", // private
          "100.64.0.0/10", // carrier NAT; metadata of Alibaba Cloud
          "127.0.0.0/8", // loopback
          "168.63.129.16/32", // metadata of Azure
          "169.254.0.0/16", // link-local; metadata of most clouds
          "172.16.0.0/12", // private
          "192.0.0.0/24", // protocol assignments; metadata of Oracle Cloud
          "192.0.2.0/24", // documentation
          "192.88.99.0/24", // 6to4 relays
          "192.168.0.0/16", // private
          "198.18.0.0/15", // benchmarks
          "198.51.100.0/24", // documentation
          "203.0.113.0/24", // documentation
          "224.0.0.0/4", // multicast
          "240.0.0.0/4"); // reserved, broadcast

  /** Everything else in IPv6 is special, among it loopback, private, link-local and NAT64. */
  private static final AddressRange UNICAST_IPV6 = AddressRange.parse("2000::/3").orElseThrow();

  private static final List<AddressRange> SPECIAL_IPV6 =
      ranges(
          "2001::/23", // protocol assignments, Teredo
          "2001:db8::/32", // documentation
          "2002::/16", // 6to4, which leads to any IPv4 address
          "3fff::/20"); // documentation

  private PublicAddresses() {}

  private static List<AddressRange> ranges(String... texts) {
    return Stream.of(texts).map(text -> AddressRange.parse(text).orElseThrow()).toList();
  }

  static boolean contain(InetAddress address) {
    return address instanceof Inet4Address
        ? isInNone(SPECIAL_IPV4, address)
        : UNICAST_IPV6.contains(address) && isInNone(SPECIAL_IPV6, address);
  }

  private static boolean isInNone(List<AddressRange> ranges, InetAddress address) {
    return ranges.stream().noneMatch(range -> range.contains(address));
  }
}
