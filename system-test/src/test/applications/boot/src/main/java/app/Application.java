package app;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.asyncflow.api.CreateResult;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageResult;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A worker and a client in an application with a web server; Orders comes from docs/spring-boot.md. */
@SpringBootApplication
public class Application {

  private static final int HALTED = 9;

  public record Greeting(@JsonProperty("to") String name, Instant at) {}

  public static void main(String[] args) {
    SpringApplication.run(Application.class, args);
  }

  @Stage(type = "@line@", stage = "greet")
  public StageResult greet(Greeting greeting) {
    String name = greeting.name() + " of " + SpringBootVersion.getVersion();
    return StageResult.done(new Greeting(name, greeting.at()));
  }

  @Stage(type = "mail", stage = "confirm")
  public StageResult confirm(String item) {
    return StageResult.done("sent " + item);
  }

  @Bean
  CommandLineRunner act(
      @Value("${app.act:none}") String act, Orders orders, PlatformTransactionManager manager) {
    TransactionTemplate transaction = new TransactionTemplate(manager);
    return arguments -> {
      if (act.equals("place")) {
        transaction.executeWithoutResult(
            status -> {
              orders.place("@line@", "rolled back");
              status.setRollbackOnly();
            });
        System.out.println("KEY " + orders.place("@line@", "placed"));
      } else if (act.equals("halt-after-commit")) {
        transaction.executeWithoutResult(
            status -> {
              TransactionSynchronizationManager.registerSynchronization(new Halt());
              orders.place("killed", "placed");
            });
      }
    };
  }

  private static final class Halt implements TransactionSynchronization {

    @Override
    public void afterCommit() {
      Runtime.getRuntime().halt(HALTED);
    }
  }

  @Bean
  @ConditionalOnProperty(name = "app.act", havingValue = "halt-after-send")
  FlowClient haltingClient(@Value("${asyncflow.client.url}") URI url) {
    return new ForwardingFlowClient(new HttpFlowClient(url, null)) {
      @Override
      public List<CreateResult> create(List<NewTask> tasks) {
        super.create(tasks);
        Runtime.getRuntime().halt(HALTED);
        return List.of();
      }
    };
  }

  @RestController
  static class Rows {

    private final JdbcClient database;

    Rows(JdbcClient database) {
      this.database = database;
    }

    @GetMapping("/rows")
    String rows() {
      return "rows: "
          + database.sql("SELECT COUNT(*) FROM asyncflow_outbox").query(Integer.class).single();
    }
  }
}
