package io.asyncflow.systemtest.chaos;

import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.dev.embedded.EmbeddedServer;
import io.asyncflow.systemtest.chaos.Disaster.Blow;
import io.asyncflow.systemtest.cluster.Node;
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

  /** How often a strike has failed; to be read when it is well for good. */
  default int failures() {
    return 0;
  }

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
        case RUN, CHANGE -> throw new IllegalArgumentException(name() + " is a process");
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

  /** A process that the cluster starts. */
  interface OfNode extends OfProcess {

    Duration GRACE = Duration.ofSeconds(60);

    Node node();

    @Override
    default String name() {
      return node().name();
    }

    @Override
    default void kill() {
      node().kill();
    }

    @Override
    default void terminate() {
      node().terminate();
      if (!node().awaitEnd(GRACE)) {
        throw new IllegalStateException(name() + " did not end after SIGTERM");
      }
    }

    @Override
    default void stop() {
      node().pause();
    }

    @Override
    default void resume() {
      node().resume();
    }
  }

  /** A process of workers. */
  record OfWorker(WorkerNode node) implements OfNode {

    @Override
    public Collection<String> sufferers() {
      return List.of(node.workerId());
    }

    @Override
    public void revive() {
      node.start();
      node.awaitReady();
    }
  }

  /**
   * A flowsvr.
   *
   * @param workers those that know no other
   */
  record OfServer(ServerNode node, List<WorkerNode> workers) implements OfNode {

    private static final Duration RECOVERY = Duration.ofMinutes(3);

    @Override
    public Collection<String> sufferers() {
      return Victim.withClients(workers);
    }

    /** Again and again: without its database it does not start, and that may be down just now. */
    @Override
    public void revive() {
      await(name() + " is ready")
          .atMost(RECOVERY)
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                if (!node.isAlive()) {
                  node.start();
                }
                return node.isReady();
              });
    }
  }

  /** The Redis or the database of the cluster. */
  record OfStore(String name, EmbeddedServer store, Collection<String> sufferers)
      implements OfProcess {

    /** No process suffers: servers and workers can do without Redis. */
    static Victim of(EmbeddedRedis redis) {
      return new OfStore("redis", redis, List.of());
    }

    /** Clients and all workers suffer. */
    static Victim of(EmbeddedMariaDb database, List<WorkerNode> workers) {
      return new OfStore("database", database, Victim.withClients(workers));
    }

    @Override
    public void kill() {
      store.kill();
    }

    @Override
    public void terminate() {
      store.stop();
    }

    @Override
    public void stop() {
      Signals.stop(store.pid());
    }

    @Override
    public void resume() {
      Signals.resume(store.pid());
    }

    @Override
    public void revive() {
      store.restart();
    }
  }

  /** All clients, and these workers. */
  static Collection<String> withClients(List<WorkerNode> workers) {
    return Stream.concat(
            Stream.of(Scenario.CLIENTS), workers.stream().map(worker -> worker.name() + "-"))
        .toList();
  }
}
