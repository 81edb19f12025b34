package io.asyncflow.flowsvr.model;

import static org.assertj.core.api.Assertions.fail;
import static org.mockito.Mockito.when;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.task.number.WriteOutageStore;
import io.asyncflow.flowsvr.wire.Wire;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/**
 * Random sequences against the model and against a real server.
 *
 * <p>{@code -Dasyncflow.model.seeds=17} runs another seed, {@code 1-500} many, and {@code
 * -Dasyncflow.model.commands=1000} makes the sequences longer.
 */
@RunningServer
@TestPropertySource(
    properties = {
      "spring.datasource.driver-class-name=io.asyncflow.flowsvr.model.StoppedClock",
      "flow.governance.sweep-interval=1h",
      "logging.level.io.asyncflow.flowsvr=warn",
      "logging.level.io.asyncflow.flowsvr.base.leader=error" // a term is over whenever time passes
    })
class ModelIT {

  private static final String SEEDS = System.getProperty("asyncflow.model.seeds", "1-6");
  private static final int COMMANDS = Integer.getInteger("asyncflow.model.commands", 300);
  private static final Duration PATIENCE = Duration.ofMinutes(1); // with a busy machine
  private static final AtomicInteger SEQUENCES = new AtomicInteger();

  @LocalServerPort int port;
  @Autowired ApplicationContext server;

  /** Time passes here without a beat, so that whatever ran out would have done so in an outage. */
  @MockitoBean WriteOutageStore outages;

  private HttpFlowClient client;
  private Wire wire;

  @BeforeEach
  void connect() {
    client = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null, PATIENCE);
    wire = new Wire(port);
    when(outages.known())
        .thenAnswer(none -> new WriteOutageStore.Known(List.of(), StoppedClock.nowMs()));
  }

  static LongStream seeds() {
    String[] range = SEEDS.split("-");
    return LongStream.rangeClosed(
        Long.parseLong(range[0]), Long.parseLong(range[range.length - 1]));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void serverDoesWhatTheModelDoes(long seed) {
    System.out.println("model test: " + COMMANDS + " commands of seed " + seed);
    new Comparison(ModelDriver::new, this::newServerDriver)
        .findDifference(new CommandGenerator(seed).sequence(COMMANDS))
        .ifPresent(finding -> fail("seed " + seed + " " + finding));
  }

  private ServerDriver newServerDriver() {
    return new ServerDriver(client, wire, server, "m" + SEQUENCES.incrementAndGet() + "x");
  }
}
