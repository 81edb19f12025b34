package io.asyncflow.flowsvr.compose.hook.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.hc.client5.http.DnsResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HookAllowTest {

  private static final HookAllow ALLOW =
      HookAllow.parse("hooks.example.com, *.example.org ,10.1.0.0/16,fd00:7::/32");
  private static final HookAllow ANY_NAME = HookAllow.parse("*");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://hooks.example.com/in",
        "https://hooks.example.com:8443/in?key=a%20b",
        "HTTPS://HOOKS.Example.COM/",
        "https://a.example.org/",
        "https://a.b.example.org/",
        "https://10.1.2.3/",
        "https://10.1.2.3:8443/",
        "https://[fd00:7::1]/"
      })
  void whatIsListedIsAllowed(String url) {
    assertThat(ALLOW.refusal(url)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // no https
        "http://hooks.example.com/",
        "ftp://hooks.example.com/",
        "file:///etc/passwd",
        "hooks.example.com",
        "//hooks.example.com/",
        "jar:https://hooks.example.com/!/",
        "gopher://hooks.example.com/",
        // other hosts
        "https://example.com/",
        "https://example.org/",
        "https://evilexample.org/",
        "https://hooks.example.com.evil.net/",
        "https://hooks.example.com./",
        "https://xhooks.example.com/",
        "https://localhost/",
        // hosts that hide
        "https://hooks.example.com@evil.net/",
        "https://user:password@hooks.example.com/",
        "https://evil.net#hooks.example.com",
        "https://hooks.example.com/#fragment",
        "https://hooks.example.com\\@evil.net/",
        "https://evil.net\\.example.org/",
        "https:// hooks.example.com/",
        "https:///hooks.example.com/",
        "https://",
        "https://%6c%6f%63alhost/",
        "https://a_b.example.org/",
        "https://ⓔxample.example.org/",
        "https://hooks.example.com:0/",
        "https://hooks.example.com:65536/",
        "https://hooks.example.com:99999999999/",
        // addresses
        "https://93.184.215.14/",
        "https://10.2.0.1/",
        "https://[::1]/",
        "https://[fd00:8::1]/",
        "https://[fd00:7::1%25eth0]/"
      })
  void whatIsNotListedIsRefused(String url) {
    assertThat(ALLOW.refusal(url)).isPresent();
  }

  /** Neither names nor addresses in their usual form, whatever a resolver makes of them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "2130706433", // 127.0.0.1 as a number
        "0x7f000001",
        "0x7f.0.0.1",
        "0x7F.1",
        "0177.0.0.1",
        "017700000001",
        "127.1",
        "127.0.1",
        "127.0.0.01",
        "127.0.0.0x1",
        "127.0.0.1.",
        "1.127.0.0.1",
        "127.0.0.1",
        "0",
        "0.0.0.0",
        "169.254.169.254",
        "2852039166", // 169.254.169.254 as a number
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "256.1.1.1",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00:ec2::254]"
      })
  void addressInTheUrlIsRefusedEvenIfEveryNameIsAllowed(String host) {
    assertThat(ANY_NAME.refusal("https://" + host + "/")).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.0.1",
        "169.254.169.254",
        "169.254.170.2",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::ffff:10.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:10::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "2002:a9fe:a9fe::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1"
      })
  void nameThatLeadsInsideIsRefused(String address) {
    AllowedAddresses names = new AllowedAddresses(ANY_NAME, resolver(address));

    assertThatThrownBy(() -> names.resolve("hooks.example.com"))
        .isInstanceOf(UnknownHostException.class)
        .hasMessage("hooks.example.com has no public address, and none that FLOW_HOOK_ALLOW opens");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "93.184.215.14",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.167.255.255",
        "223.255.255.255",
        "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
        "2a00:1450:4001:82f::200e",
        "::ffff:93.184.215.14"
      })
  void nameThatLeadsOutsideIsAllowed(String address) throws UnknownHostException {
    assertThat(new AllowedAddresses(ANY_NAME, resolver(address)).resolve("hooks.example.com"))
        .containsExactly(InetAddress.getByName(address));
  }

  @Test
  void onlyTheAllowedAddressesOfANameAreUsed() throws UnknownHostException {
    AllowedAddresses names =
        new AllowedAddresses(ALLOW, resolver("127.0.0.1", "10.1.2.3", "::1", "1.1.1.1"));

    assertThat(names.resolve("hooks.example.com"))
        .containsExactly(InetAddress.getByName("10.1.2.3"), InetAddress.getByName("1.1.1.1"));
  }

  @ParameterizedTest
  @CsvSource({
    "10.1.0.0/16, 10.1.255.255, true",
    "10.1.0.0/16, 10.2.0.0, false",
    "10.1.2.3/32, 10.1.2.3, true",
    "10.1.2.3/32, 10.1.2.2, false",
    "0.0.0.0/0, 127.0.0.1, true",
    "0.0.0.0/0, ::1, false",
    "::/0, ::1, true",
    "::/0, 127.0.0.1, false",
    "fd00:7::/32, fd00:7:ffff::1, true",
    "fd00:7::/32, fd00:8::1, false"
  })
  void rangeContainsTheAddressesThatShareItsFirstBits(
      String range, String address, boolean isContained) throws UnknownHostException {
    assertThat(AddressRange.parse(range).orElseThrow().contains(InetAddress.getByName(address)))
        .isEqualTo(isContained);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://hooks.example.com",
        "hooks.example.com/in",
        "hooks.example.com:443",
        "*example.com",
        "hooks.*.com",
        "**",
        "10.1.2.3",
        "10.1.0.0/33",
        "010.1.0.0/16",
        "10.1/16",
        "[::1]",
        "::1",
        "::1/129",
        "-a.example.com",
        "a b"
      })
  void whatIsNeitherAHostNorARangeIsNamed(String entry) {
    assertThatThrownBy(() -> HookAllow.parse("hooks.example.com," + entry))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(entry);
  }

  @Test
  void nothingIsAllowedByDefault() {
    HookAllow nothing = HookAllow.parse("");

    assertThat(nothing.refusal("https://hooks.example.com/"))
        .contains("names a host that FLOW_HOOK_ALLOW of the servers does not list");
    assertThat(nothing.refusal("https://1.1.1.1/")).isPresent();
  }

  private static DnsResolver resolver(String... addresses) {
    return new Addresses(addresses);
  }

  /** Resolves every name to these addresses. */
  private record Addresses(String... texts) implements DnsResolver {

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      InetAddress[] addresses = new InetAddress[texts.length];
      for (int i = 0; i < texts.length; i++) {
        addresses[i] = InetAddress.getByName(texts[i]);
      }
      return addresses;
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }
}
