package io.asyncflow.flowsvr.compose.hook.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.apache.hc.client5.http.DnsResolver;

/**
 * Resolves the name of a host when a connection is made, to the addresses that are allowed; the
 * connection is made to one of these. Thread-safe.
 *
 * @param names resolves names
 */
record AllowedAddresses(HookAllow allow, DnsResolver names) implements DnsResolver {

  @Override
  public InetAddress[] resolve(String host) throws UnknownHostException {
    InetAddress[] allowed =
        Arrays.stream(names.resolve(host)).filter(allow::allows).toArray(InetAddress[]::new);
    if (allowed.length == 0) {
      throw new UnknownHostException(
          host + " has no public address, and none that FLOW_HOOK_ALLOW opens");
    }
    return allowed;
  }

  @Override
  public String resolveCanonicalHostname(String host) {
    return host;
  }
}
