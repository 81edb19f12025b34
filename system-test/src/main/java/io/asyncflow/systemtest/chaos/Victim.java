package io.asyncflow.systemtest.chaos;

import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.systemtest.chaos.Disaster.Blow;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.Signals;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.scenario.Scenario;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** What is about to be hurt. */
interface Victim {

  String name();

  /** Processes whose calls may fail while it is unwell, as a {@link Scenario} wants to know. */
  Collection<String> sufferers();

  /** Hurts it; returns when it is unwell. */
  void strike(Blow blow);

  /** Returns when it is well again. */
  void heal(Blow blow);

  /** A process. */
  interface OfProcess extends Victim {

    /** SIGKILL; returns when it is gone. */
    void kill();

    /** SIGTERM; returns when it is gone. */
    void terminate();

    /** SIGSTOP. */
    void stop();

    /** SIGCONT. */
    void resume();

    /** Starts it after its end and returns when it is well. */
    void revive();

    @Override
    default void strike(Blow blow) {
      switch (blow) {
        case KILL -> kill();
        case TERMINATE -> terminate();
        case STOP -> stop();
        case CHANGE -> throw new IllegalArgumentException(name() + " is a process");
      }
    }

    @Override
    default void heal(Blow blow) {
      if (blow == Blow.STOP) {
        resume();
      } else {
        revive();
      }
    }
  }

  /**
   * The settings of task types: they may change while tasks run, and nobody may suffer from that.
   *
   * @param client repeats what a server did not answer
   */
  record OfSettings(List<Scenario> scenarios, FlowClient client) implements Victim {

    @Override
    public String name() {
      return "settings";
    }

    @Override
    public Collection<String> sufferers() {
      return List.of();
    }

    @Override
    public void strike(Blow blow) {
      scenarios.forEach(scenario -> scenario.changeSettings(client));
    }

    @Override
    public void heal(Blow blow) {
      scenarios.forEach(scenario -> scenario.restoreSettings(client));
    }
  }

  /** A process of workers. */
  record OfWorker(WorkerNode worker) implements OfProcess {

    private static final Duration GRACE = Duration.ofSeconds(60);

    @Override
    public String name() {
      return worker.name();
    }

    @Override
    public Collection<String> sufferers() {
      return List.of(worker.workerId());
    }

    @Override
    public void kill() {
      worker.kill();
    }

    @Override
    public void terminate() {
      worker.terminate();
      require(worker.awaitEnd(GRACE), name());
    }

    @Override
    public void stop() {
      worker.pause();
    }

    @Override
    public void resume() {
      worker.resume();
    }

    @Override
    public void revive() {
      worker.start();
      worker.awaitReady();
    }
  }

  /**
   * A flowsvr.
   *
   * @param workers those that know no other
   */
  record OfServer(ServerNode server, List<WorkerNode> workers) implements OfProcess {

    private static final Duration GRACE = Duration.ofSeconds(60);
    private static final Duration RECOVERY = Duration.ofMinutes(3);

    @Override
    public String name() {
      return server.name();
    }

    @Override
    public Collection<String> sufferers() {
      return Victim.withClients(workers);
    }

    @Override
    public void kill() {
      server.kill();
    }

    @Override
    public void terminate() {
      server.terminate();
      require(server.awaitEnd(GRACE), name());
    }

    @Override
    public void stop() {
      server.pause();
    }

    @Override
    public void resume() {
      server.resume();
    }

    /** Again and again: without its database it does not start, and that may be down just now. */
    @Override
    public void revive() {
      await(name() + " is ready")
          .atMost(RECOVERY)
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                if (!server.isAlive()) {
                  server.start();
                }
                return server.isReady();
              });
    }
  }

  /** The Redis of the cluster. */
  record OfRedis(EmbeddedRedis redis) implements OfProcess {

    @Override
    public String name() {
      return "redis";
    }

    /** Nobody: whoever has it can do without. */
    @Override
    public Collection<String> sufferers() {
      return List.of();
    }

    @Override
    public void kill() {
      redis.kill();
    }

    @Override
    public void terminate() {
      redis.stop();
    }

    @Override
    public void stop() {
      Signals.stop(redis.pid());
    }

    @Override
    public void resume() {
      Signals.resume(redis.pid());
    }

    @Override
    public void revive() {
      redis.restart();
    }
  }

  /**
   * The database of the cluster.
   *
   * @param workers all
   */
  record OfDatabase(EmbeddedMariaDb database, List<WorkerNode> workers) implements OfProcess {

    @Override
    public String name() {
      return "database";
    }

    @Override
    public Collection<String> sufferers() {
      return Victim.withClients(workers);
    }

    @Override
    public void kill() {
      database.kill();
    }

    @Override
    public void terminate() {
      database.stop();
    }

    @Override
    public void stop() {
      Signals.stop(database.pid());
    }

    @Override
    public void resume() {
      Signals.resume(database.pid());
    }

    @Override
    public void revive() {
      database.restart();
    }
  }

  private static Collection<String> withClients(List<WorkerNode> workers) {
    return Stream.concat(
            Stream.of(Scenario.CLIENTS), workers.stream().map(worker -> worker.name() + "-"))
        .toList();
  }

  private static void require(boolean ended, String name) {
    if (!ended) {
      throw new IllegalStateException(name + " did not end after SIGTERM");
    }
  }
}
