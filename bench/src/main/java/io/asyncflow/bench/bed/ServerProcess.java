package io.asyncflow.bench.bed;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.process.ChildProcess;
import io.asyncflow.dev.process.ParentDeath;
import io.asyncflow.dev.process.ProcessLog;
import io.asyncflow.dev.stack.ServerProbe;
import io.asyncflow.dev.stack.ServerProgram;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A flowsvr of its own process, run as in production.
 *
 * @param start how long it took from the start of the process until it was ready
 */
record ServerProcess(ChildProcess process, URI url, Duration start) implements AutoCloseable {

  private static final Duration START_PATIENCE = Duration.ofMinutes(5);

  /** Starts it, without Redis, and returns when it is ready. */
  static ServerProcess start(
      ServerProgram program,
      List<String> moreJvmOptions,
      DatabaseEndpoint database,
      String schema,
      Path log) {
    URI url = URI.create("http://" + LoopbackPort.HOST + ":" + LoopbackPort.free());
    List<String> command = new ArrayList<>();
    command.add(Installation.current().java().toString());
    command.addAll(program.inProduction(moreJvmOptions));
    Map<String, String> environment = ServerProgram.environment(url, database, schema);
    // On a busy machine the first connection may take longer than the pool's patience.
    environment.put("SPRING_FLYWAY_CONNECTRETRIES", "5");
    // Its input is a pipe from here: it ends when this JVM does, however that happens.
    environment.put("FLOW_EXIT_WITH_PARENT", "true");
    long begin = System.nanoTime();
    ChildProcess process =
        ChildProcess.launch(
            command,
            environment,
            log.getParent(),
            new ProcessLog("flowsvr", log),
            ParentDeath.STOPS_CHILD);
    process.awaitReady(new ServerProbe(url)::isReady, START_PATIENCE);
    return new ServerProcess(process, url, Duration.ofNanos(System.nanoTime() - begin));
  }

  long pid() {
    return process.pid();
  }

  /** Ends it in order; by force if that takes too long. */
  @Override
  public void close() {
    process.stop();
  }
}
