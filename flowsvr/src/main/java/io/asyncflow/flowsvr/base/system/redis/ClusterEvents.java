package io.asyncflow.flowsvr.base.system.redis;

import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.concurrent.DaemonThreads;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Notifies the other servers through Redis of events that happen here, and publishes here what
 * happens there, so that no server has to look for it. Notifications may be lost. Does nothing
 * without Redis.
 *
 * <p>One thread a kind sends. Events with the same line that happen meanwhile are merged into one.
 * Thread-safe.
 */
@Component
public class ClusterEvents implements SmartInitializingSingleton, DisposableBean {

  private final RedisLink redis;
  private final Events events;
  private final String self = UUID.randomUUID().toString();
  private final Map<Class<?>, Channel> channels = new HashMap<>();

  ClusterEvents(RedisLink redis, Events events, List<ClusterEvent.Kind> kinds) {
    this.redis = redis;
    this.events = events;
    kinds.forEach(kind -> channels.put(kind.type(), new Channel(kind)));
  }

  /** The channel of a kind. */
  private final class Channel {

    private final ClusterEvent.Kind kind;
    private final String name;
    private final Set<String> waiting = ConcurrentHashMap.newKeySet();
    private final ExecutorService sender; // what is sent at shutdown is lost
    private AutoCloseable subscription = () -> {};

    Channel(ClusterEvent.Kind kind) {
      this.kind = kind;
      this.name = "asyncflow:" + kind.name();
      this.sender = DaemonThreads.pool(1, kind.name() + "-news");
    }

    void open() {
      subscription = redis.subscribe(name, this::receive);
    }

    void send(String line) {
      if (!waiting.add(line)) {
        return;
      }
      try {
        sender.execute(
            () -> {
              waiting.remove(line); // before it is sent: what happens from now on is sent again
              redis.publish(name, self + " " + line);
            });
      } catch (Throwable e) { // no thread: the next event must try again
        waiting.remove(line);
        throw e;
      }
    }

    private void receive(String message) {
      int space = message.indexOf(' ');
      if (space > 0 && !message.startsWith(self)) {
        kind.fromAfar().apply(message.substring(space + 1)).ifPresent(events::publish);
      }
    }

    void close() throws Exception {
      subscription.close();
      sender.shutdownNow();
    }
  }

  /** Subscribes: from now on there are listeners for what comes. */
  @Override
  public void afterSingletonsInstantiated() {
    channels.values().forEach(Channel::open);
  }

  @EventListener
  public void on(ClusterEvent event) {
    Channel channel = channels.get(event.getClass());
    if (channel != null && !event.isFromAfar() && redis.isConfigured()) {
      channel.send(event.line());
    }
  }

  @Override
  public void destroy() throws Exception {
    for (Channel channel : channels.values()) {
      channel.close();
    }
  }
}
