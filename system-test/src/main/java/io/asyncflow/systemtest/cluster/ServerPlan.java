package io.asyncflow.systemtest.cluster;

import io.asyncflow.dev.host.LoopbackPort;
import java.util.HashMap;
import java.util.Map;

/**
 * How a flowsvr process is started.
 *
 * @param name in logs and histories
 * @param port that it listens on, also after a restart
 * @param databaseUrl JDBC URL, through a proxy or not
 * @param redisUrl empty for none
 * @param heap as {@code -Xmx} takes it
 * @param environment further variables
 */
public record ServerPlan(
    String name,
    int port,
    String databaseUrl,
    String redisUrl,
    String heap,
    Map<String, String> environment) {

  /** The same with its database elsewhere. */
  public ServerPlan withDatabase(String url) {
    return new ServerPlan(name, port, url, redisUrl, heap, environment);
  }

  /** The same with its Redis elsewhere; empty for none. */
  public ServerPlan withRedis(String url) {
    return new ServerPlan(name, port, databaseUrl, url, heap, environment);
  }

  /** The same with another heap, as {@code 192m}. */
  public ServerPlan withHeap(String size) {
    return new ServerPlan(name, port, databaseUrl, redisUrl, size, environment);
  }

  /** The same with more environment variables. */
  public ServerPlan withAll(Map<String, String> variables) {
    Map<String, String> more = new HashMap<>(environment);
    more.putAll(variables);
    return new ServerPlan(name, port, databaseUrl, redisUrl, heap, more);
  }

  Map<String, String> allVariables(String user, String password) {
    Map<String, String> all = new HashMap<>(environment);
    all.put("FLOW_PORT", Integer.toString(port));
    all.put("FLOW_ADDRESS", LoopbackPort.HOST);
    all.putIfAbsent("FLOW_API_KEY", "");
    all.put("FLOW_MYSQL_URL", databaseUrl);
    all.putIfAbsent("FLOW_MYSQL_USER", user);
    all.putIfAbsent("FLOW_MYSQL_PASSWORD", password);
    all.put("FLOW_REDIS_URL", redisUrl);
    all.put("FLOW_EXIT_WITH_PARENT", "true");
    return all;
  }
}
