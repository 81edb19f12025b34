package io.asyncflow.bench.bed;

import io.asyncflow.dev.embedded.EmbeddedRedis;
import java.nio.file.Path;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * A Redis of the bench's own, for those that need one; flowsvr has none. The client is made when it
 * is first wanted, since its timers cost the idle something, too.
 */
final class Redis implements AutoCloseable {

  private final EmbeddedRedis server;
  private RedissonClient client;

  private Redis(EmbeddedRedis server) {
    this.server = server;
  }

  static Redis start(Path directory) {
    return new Redis(EmbeddedRedis.start(directory, 0));
  }

  long pid() {
    return server.pid();
  }

  synchronized RedissonClient client() {
    if (client == null) {
      Config config = new Config();
      config.setCodec(StringCodec.INSTANCE);
      config.setReferenceEnabled(false); // needs libraries that are left out: RxJava, Reactor
      config.useSingleServer().setAddress(server.url());
      client = Redisson.create(config);
    }
    return client;
  }

  @Override
  public synchronized void close() {
    try (server) {
      if (client != null) {
        client.shutdown();
      }
    }
  }
}
