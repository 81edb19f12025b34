package io.asyncflow.flowsvr.edge.access;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.FlowServer;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.wire.Wire;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Servers in mode {@code keys} on one database of their own, without Redis. */
public final class KeysServers implements AutoCloseable {

  public static final String ENVIRONMENT_KEY = "b1946ac92492d2347c6235b4d2611184";
  private static final String PEPPER = "a-pepper-that-no-database-knows";
  private static final DatabaseEndpoint DATABASE = TestServices.database();

  private final String schema;
  private final List<ConfigurableApplicationContext> started = new ArrayList<>();

  public KeysServers(String schema) {
    this.schema = TestServices.newSchema(schema);
  }

  /**
   * Starts another server.
   *
   * @param settings take the place of those of the same name
   */
  public ConfigurableApplicationContext start(String... settings) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("--server.port", "0");
    all.put("--server.address", "127.0.0.1");
    all.put("--flow.access.address", "127.0.0.1");
    all.put("--flow.access.mode", "keys");
    all.put("--flow.access.api-key", ENVIRONMENT_KEY);
    all.put("--flow.access.pepper", PEPPER);
    all.put("--flow.store.dir", RunningServer.STORE);
    all.put("--spring.datasource.url", DATABASE.jdbcUrl(schema));
    all.put("--spring.datasource.username", DATABASE.user());
    all.put("--spring.datasource.password", DATABASE.password());
    for (String setting : settings) {
      int end = setting.indexOf('=');
      all.put(setting.substring(0, end), setting.substring(end + 1));
    }
    ConfigurableApplicationContext server =
        new SpringApplication(FlowServer.class)
            .run(
                all.entrySet().stream()
                    .map(setting -> setting.getKey() + "=" + setting.getValue())
                    .toArray(String[]::new));
    started.add(server);
    return server;
  }

  public static Wire wireTo(ConfigurableApplicationContext server) {
    return new Wire(
        server.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
  }

  public JdbcClient sql() {
    return started.get(0).getBean(JdbcClient.class);
  }

  @Override
  public void close() {
    started.forEach(ConfigurableApplicationContext::close);
  }
}
