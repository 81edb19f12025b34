package io.asyncflow.spring.outbox;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Creates in transactions. */
@ConfigurationProperties("asyncflow.client.outbox")
public class OutboxProperties {

  /** When the table is created. */
  public enum InitializeSchema {
    /** In an H2 in memory. */
    EMBEDDED,
    ALWAYS,
    NEVER
  }

  /** Whether there is a TransactionalFlowClient, on the application's DataSource. */
  private boolean enabled;

  /** The name of the table. Applications that share a database have one each. */
  private String table = "asyncflow_outbox";

  /** Whether the table is created when the application starts and has none. */
  private InitializeSchema initializeSchema = InitializeSchema.EMBEDDED;

  /**
   * How often the table is looked at for tasks that another instance left. An instance sends its
   * own at once.
   */
  private Duration pollInterval = Duration.ofSeconds(5);

  public boolean isEnabled() {
    return enabled;
  }

  public void setEnabled(boolean enabled) {
    this.enabled = enabled;
  }

  public String getTable() {
    return table;
  }

  public void setTable(String table) {
    this.table = table;
  }

  public InitializeSchema getInitializeSchema() {
    return initializeSchema;
  }

  public void setInitializeSchema(InitializeSchema initializeSchema) {
    this.initializeSchema = initializeSchema;
  }

  public Duration getPollInterval() {
    return pollInterval;
  }

  public void setPollInterval(Duration pollInterval) {
    this.pollInterval = pollInterval;
  }
}
