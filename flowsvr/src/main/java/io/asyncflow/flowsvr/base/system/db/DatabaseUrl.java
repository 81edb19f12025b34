package io.asyncflow.flowsvr.base.system.db;

import static java.util.stream.Collectors.joining;

import com.mysql.cj.conf.ConnectionUrlParser;
import com.mysql.cj.conf.HostInfo;
import com.mysql.cj.exceptions.CJException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A database URL in any form that Connector/J accepts, and its parts that may be logged.
 * Connector/J's own parser reads it, so that both agree on its meaning.
 */
public final class DatabaseUrl {

  private static final String HOST_NAME = "[^()=,;@\\s]*";
  private static final String SCHEMA_NAME = "[^=;]*";

  private final String text;
  private final ConnectionUrlParser parts;
  private final List<HostInfo> hosts;
  private final Set<String> options;

  /** Reads hosts and options at once: the parser is lazy and reports errors only on access. */
  private DatabaseUrl(String text) {
    this.text = text;
    this.parts = ConnectionUrlParser.parseConnectionString(text);
    this.hosts = parts.getHosts();
    this.options = new HashSet<>();
    parts.getProperties().keySet().forEach(name -> options.add(lower(name)));
    hosts.forEach(host -> host.getHostProperties().keySet().forEach(n -> options.add(lower(n))));
  }

  /** The URL; empty if Connector/J cannot read it, or takes a password for a host name. */
  public static Optional<DatabaseUrl> parse(String text) {
    try {
      DatabaseUrl url = new DatabaseUrl(text);
      boolean isPlain =
          url.hosts.stream().allMatch(host -> hostName(host).matches(HOST_NAME))
              && url.schema().matches(SCHEMA_NAME);
      return isPlain ? Optional.of(url) : Optional.empty();
    } catch (CJException | IllegalArgumentException e) { // the latter for bad percent encoding
      return Optional.empty();
    }
  }

  /** The names of all options, in lower case, from the query and from each host. */
  public Set<String> options() {
    return Set.copyOf(options);
  }

  /** Whether a host has a password, as in {@code user:password@host}. */
  public boolean hasPassword() {
    return hosts.stream().anyMatch(host -> host.getPassword() != null);
  }

  /** The first user that a host has, as in {@code user@host}. */
  public Optional<String> user() {
    return hosts.stream().map(HostInfo::getUser).filter(Objects::nonNull).findFirst();
  }

  /**
   * The names of the hosts, each with the value of an option.
   *
   * @param defaultValue for hosts without a value, if the query has none, either
   */
  public Map<String, String> optionOfEachHost(String name, String defaultValue) {
    String ofAll = option(parts.getProperties(), lower(name), defaultValue);
    Map<String, String> values = new LinkedHashMap<>();
    for (HostInfo host : hosts) {
      values.put(hostName(host), option(host.getHostProperties(), lower(name), ofAll));
    }
    return values;
  }

  /**
   * A host by itself.
   *
   * @param place host and port, for messages
   * @param url with the schema
   * @param properties what the URL sets for this host, with its credentials if it has any
   */
  record Host(String place, String url, Map<String, String> properties) {

    /** The same without the schema, which may not exist yet. */
    Host withoutSchema() {
      return new Host(place, url.substring(0, url.lastIndexOf('/') + 1), properties);
    }
  }

  /** The hosts, each by itself; a single host has the URL as it was written. */
  List<Host> hosts() {
    if (hosts.size() == 1) {
      return List.of(new Host(hostAndPort(hosts.get(0)), text, Map.of()));
    }
    return hosts.stream().map(this::alone).toList();
  }

  private Host alone(HostInfo host) {
    Map<String, String> properties = new LinkedHashMap<>(parts.getProperties());
    properties.putAll(host.getHostProperties());
    List.of("host", "port")
        .forEach(name -> properties.keySet().removeIf(n -> lower(n).equals(name)));
    if (host.getUser() != null) {
      properties.put("user", host.getUser());
    }
    if (host.getPassword() != null) {
      properties.put("password", host.getPassword());
    }
    String place = hostAndPort(host);
    return new Host(place, "jdbc:mysql://" + place + "/" + schema(), properties);
  }

  /** The schema as a qualifier of a table's name, with its dot. */
  String schemaPrefix() {
    return "`" + schema().replace("`", "``") + "`.";
  }

  /** Scheme, hosts and schema. */
  String place() {
    return parts.getScheme()
        + "//"
        + hosts.stream().map(DatabaseUrl::hostAndPort).collect(joining(","))
        + (parts.getPath() == null ? "" : "/" + schema());
  }

  private String schema() {
    return parts.getPath() == null ? "" : parts.getPath();
  }

  private static String hostAndPort(HostInfo host) {
    String port = host.getPort() > 0 ? "" + host.getPort() : option(host, "port");
    return port.isEmpty() ? hostName(host) : hostName(host) + ":" + port;
  }

  private static String hostName(HostInfo host) {
    return host.getHost() == null ? option(host, "host") : host.getHost();
  }

  private static String option(HostInfo host, String name) {
    return option(host.getHostProperties(), name, "");
  }

  private static String option(Map<String, String> options, String name, String defaultValue) {
    return options.entrySet().stream()
        .filter(option -> lower(option.getKey()).equals(name))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(defaultValue);
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** Scheme, hosts and schema of the URL: neither its user nor its options. */
  public static String withoutSecrets(String url) {
    return parse(url).map(DatabaseUrl::place).orElse("a URL that cannot be read");
  }
}
