package io.asyncflow.flowsvr.system.redis;

import io.asyncflow.flowsvr.system.concurrent.DaemonThreads;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;

/**
 * Sends notifications of one kind between servers through Redis; does nothing without Redis.
 * Notifications may be lost.
 *
 * <p>One thread publishes. Notifications with the same key that arrive meanwhile are merged into
 * one. Thread-safe.
 *
 * @param <K> the key of a notification
 * @param <V> its content
 */
public final class ClusterNotifier<K, V> implements AutoCloseable {

  private final RedisLink redis;
  private final String channel;
  private final BinaryOperator<V> merge;
  private final BiFunction<K, V, String> encoder;
  private final Consumer<String> receiver;
  private final String self = UUID.randomUUID().toString();
  private final Map<K, V> pending = new HashMap<>();
  private final ExecutorService publisher;
  private final AutoCloseable subscription;

  /**
   * Starts listening.
   *
   * @param thread name of the publishing thread
   * @param merge merges two notifications of one key
   * @param encoder encodes a notification as a line
   * @param receiver receives the lines of other servers, which may come from any version or be
   *     malformed
   */
  public ClusterNotifier(
      RedisLink redis,
      String channel,
      String thread,
      BinaryOperator<V> merge,
      BiFunction<K, V, String> encoder,
      Consumer<String> receiver) {
    this.redis = redis;
    this.channel = channel;
    this.merge = merge;
    this.encoder = encoder;
    this.receiver = receiver;
    this.publisher = DaemonThreads.pool(1, thread); // a notification at shutdown is lost
    this.subscription = redis.subscribe(channel, this::receive);
  }

  /** Notifies the other servers asynchronously. */
  public void tell(K key, V value) {
    if (redis.isConfigured() && addPending(key, value)) {
      try {
        publisher.execute(() -> publish(key));
      } catch (Throwable e) { // no thread: the next call must submit again
        take(key);
        throw e;
      }
    }
  }

  /** Adds a pending notification; false if the publisher is already scheduled for it. */
  private synchronized boolean addPending(K key, V value) {
    boolean isFirst = !pending.containsKey(key);
    pending.merge(key, value, merge);
    return isFirst;
  }

  private synchronized V take(K key) {
    return pending.remove(key);
  }

  private void publish(K key) {
    V value = take(key); // before publishing: later news is published again
    redis.publish(channel, self + " " + encoder.apply(key, value));
  }

  private void receive(String message) {
    int space = message.indexOf(' ');
    if (space > 0 && !message.startsWith(self)) {
      receiver.accept(message.substring(space + 1));
    }
  }

  @Override
  public void close() throws Exception {
    subscription.close();
    publisher.shutdownNow();
  }
}
