package io.asyncflow.flowsvr.compose.hook.egress;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where hooks may lead, as the operator says in {@code FLOW_HOOK_ALLOW}: names of hosts, and ranges
 * of addresses that are open although they are not public. Nothing is allowed by default.
 *
 * <p>A host in a URL is judged twice. Its name must match a pattern, and an address in place of a
 * name must lie in an open range. Then each address that a connection is made to must be public or
 * lie in an open range.
 */
public final class HookAllow {

  private static final String LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
  private static final Pattern NAME = Pattern.compile(LABEL + "(\\." + LABEL + ")*");
  private static final Pattern PATTERN = Pattern.compile("\\*|(\\*\\.)?" + NAME.pattern());

  /** A host that ends in a number is an address to many resolvers, such as 2130706433 or 0x7f.1. */
  private static final Pattern ENDS_IN_NUMBER = Pattern.compile("(.*\\.)?([0-9]+|0x[0-9a-f]*)");

  private static final int MAX_NAME = 253;
  private static final int MAX_PORT = 65_535;

  private final List<String> patterns = new ArrayList<>();
  private final List<AddressRange> open = new ArrayList<>();

  private HookAllow() {}

  /**
   * Parses patterns such as {@code hooks.example.com}, {@code *.example.com}, {@code *}, and ranges
   * such as {@code 10.1.0.0/16}, with commas in between.
   *
   * @throws IllegalArgumentException that names what is neither
   */
  public static HookAllow parse(String text) {
    HookAllow allow = new HookAllow();
    for (String entry : text.strip().split("\\s*,\\s*")) {
      allow.add(entry.toLowerCase(Locale.ROOT));
    }
    return allow;
  }

  private void add(String entry) {
    Optional<AddressRange> range = AddressRange.parse(entry);
    if (range.isPresent()) {
      open.add(range.get());
    } else if (PATTERN.matcher(entry).matches() && !ENDS_IN_NUMBER.matcher(entry).matches()) {
      patterns.add(entry);
    } else if (!entry.isEmpty()) {
      throw new IllegalArgumentException(entry);
    }
  }

  /** Why a hook may not have this URL; empty if it may. */
  public Optional<String> refusal(String url) {
    try {
      return Optional.ofNullable(refusal(new URI(url)));
    } catch (URISyntaxException e) {
      return Optional.of("is not a URL");
    }
  }

  private String refusal(URI url) {
    if (!"https".equalsIgnoreCase(url.getScheme())) {
      return "must begin with https://";
    }
    if (url.getHost() == null) {
      return "must name a host";
    }
    if (url.getRawUserInfo() != null) {
      return "must not contain a user or a password";
    }
    if (url.getRawFragment() != null) {
      return "must not contain a fragment";
    }
    if (url.getPort() == 0 || url.getPort() > MAX_PORT) {
      return "must have a port from 1 to " + MAX_PORT;
    }
    return allowsHost(url.getHost().toLowerCase(Locale.ROOT))
        ? null
        : "names a host that FLOW_HOOK_ALLOW of the servers does not list";
  }

  private boolean allowsHost(String host) {
    boolean isIpv6 = host.startsWith("[");
    if (isIpv6 || ENDS_IN_NUMBER.matcher(host).matches()) {
      String literal = isIpv6 ? host.substring(1, host.length() - 1) : host;
      return AddressRange.literal(literal).filter(this::isOpen).isPresent();
    }
    return host.length() <= MAX_NAME
        && NAME.matcher(host).matches()
        && patterns.stream().anyMatch(pattern -> matches(pattern, host));
  }

  private static boolean matches(String pattern, String host) {
    return pattern.startsWith("*") ? host.endsWith(pattern.substring(1)) : host.equals(pattern);
  }

  /** Whether a connection may be made to this address. */
  boolean allows(InetAddress address) {
    return PublicAddresses.contain(address) || isOpen(address);
  }

  private boolean isOpen(InetAddress address) {
    return open.stream().anyMatch(range -> range.contains(address));
  }
}
