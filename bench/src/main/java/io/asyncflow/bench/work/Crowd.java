package io.asyncflow.bench.work;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** So many clients, a thread each, that start together and share a number of acts. */
final class Crowd {

  private Crowd() {}

  /** What one thread does; used by that thread alone. */
  interface Client extends AutoCloseable {

    /**
     * @param unit which one of all, from 0; each is given to one client
     */
    void act(int unit) throws Exception;

    @Override
    default void close() throws Exception {}
  }

  /**
   * Has {@code units} acts done by {@code clients} threads.
   *
   * @param opens makes a client, before the clock starts
   * @return from the common start to the end of the last act
   * @throws Exception what the first client threw; the others stop soon after
   */
  static Duration share(int units, int clients, Callable<? extends Client> opens) throws Exception {
    AtomicInteger next = new AtomicInteger();
    CyclicBarrier start = new CyclicBarrier(clients + 1);
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    List<Client> crowd = new ArrayList<>();
    try {
      for (int i = 0; i < clients; i++) {
        crowd.add(opens.call());
      }
      CompletionService<Void> ends = new ExecutorCompletionService<>(threads);
      for (Client client : crowd) {
        ends.submit(() -> actInTurn(client, units, next, start));
      }
      start.await();
      long began = System.nanoTime();
      for (int i = 0; i < clients; i++) {
        ends.take().get(); // as they end: one may wait for the work of another, which has failed
      }
      return Duration.ofNanos(System.nanoTime() - began);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } finally {
      next.set(units);
      threads.shutdownNow();
      for (Client client : crowd) {
        client.close();
      }
    }
  }

  private static Void actInTurn(Client client, int units, AtomicInteger next, CyclicBarrier start)
      throws Exception {
    start.await();
    for (int unit = next.getAndIncrement(); unit < units; unit = next.getAndIncrement()) {
      client.act(unit);
    }
    return null;
  }
}
