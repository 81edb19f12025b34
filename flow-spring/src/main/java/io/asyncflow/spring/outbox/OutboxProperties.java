package io.asyncflow.spring.outbox;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Creates in transactions.
 *
 * @param enabled Whether there is a TransactionalFlowClient, on the application's DataSource.
 * @param table The name of the table. Applications that share a database have one each.
 * @param initializeSchema Whether the table is created when the application starts and has none.
 * @param pollInterval How often the table is looked at for tasks that another instance left. An
 *     instance sends its own at once.
 */
@ConfigurationProperties("asyncflow.client.outbox")
public record OutboxProperties(
    boolean enabled,
    @DefaultValue("asyncflow_outbox") String table,
    @DefaultValue("embedded") InitializeSchema initializeSchema,
    @DefaultValue("5s") Duration pollInterval) {

  /** When the table is created. */
  public enum InitializeSchema {
    /** In an H2 in memory. */
    EMBEDDED,
    ALWAYS,
    NEVER
  }
}
