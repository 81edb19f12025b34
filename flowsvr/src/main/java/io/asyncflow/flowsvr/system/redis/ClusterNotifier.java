package io.asyncflow.flowsvr.system.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;

/**
 * News of one kind that servers tell each other through Redis; nothing where there is none. News
 * may be lost.
 *
 * <p>One thread publishes; what is said of the same thing while it does is told once. Thread-safe.
 *
 * @param <K> what the news is of
 * @param <V> what there is to say of it
 */
public final class ClusterNotifier<K, V> implements AutoCloseable {

  private final RedisLink redis;
  private final String channel;
  private final BinaryOperator<V> together;
  private final BiFunction<K, V, String> words;
  private final Consumer<String> heard;
  private final String self = UUID.randomUUID().toString();
  private final Map<K, V> untold = new HashMap<>();
  private final ExecutorService publisher;
  private final AutoCloseable subscription;

  /**
   * Listens from now on.
   *
   * @param thread name of the one that publishes
   * @param together what two pieces of news of one thing come to
   * @param words a line that says it
   * @param heard takes the lines of other servers; they may be of any version, or anything else
   */
  public ClusterNotifier(
      RedisLink redis,
      String channel,
      String thread,
      BinaryOperator<V> together,
      BiFunction<K, V, String> words,
      Consumer<String> heard) {
    this.redis = redis;
    this.channel = channel;
    this.together = together;
    this.words = words;
    this.heard = heard;
    this.publisher =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread publishing = new Thread(work, thread);
              publishing.setDaemon(true);
              return publishing;
            },
            new DiscardPolicy()); // a server that stops must not fail a call over lost news
    this.subscription = redis.subscribe(channel, this::hear);
  }

  /** Tells the other servers, soon. */
  public void tell(K of, V what) {
    if (redis.isConfigured() && isFirst(of, what)) {
      try {
        publisher.execute(() -> publish(of));
      } catch (Throwable e) { // no thread: whoever comes next must not rely on this one
        take(of);
        throw e;
      }
    }
  }

  /** Notes what has to be told; false if the publisher will come by anyway. */
  private synchronized boolean isFirst(K of, V what) {
    boolean isFirst = !untold.containsKey(of);
    untold.merge(of, what, together);
    return isFirst;
  }

  private synchronized V take(K of) {
    return untold.remove(of);
  }

  private void publish(K of) {
    V what = take(of); // before telling: news that comes now is told once more
    redis.publish(channel, self + " " + words.apply(of, what));
  }

  private void hear(String message) {
    int space = message.indexOf(' ');
    if (space > 0 && !message.startsWith(self)) {
      heard.accept(message.substring(space + 1));
    }
  }

  @Override
  public void close() throws Exception {
    subscription.close();
    publisher.shutdownNow();
  }
}
