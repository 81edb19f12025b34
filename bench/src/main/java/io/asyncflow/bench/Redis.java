package io.asyncflow.bench;

import io.asyncflow.dev.EmbeddedRedis;
import java.nio.file.Path;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** A Redis of the bench's own, for those that need one; flowsvr has none. */
record Redis(EmbeddedRedis server, RedissonClient client) implements AutoCloseable {

  static Redis start(Path directory) {
    EmbeddedRedis server = EmbeddedRedis.start(directory, 0);
    try {
      Config config = new Config();
      config.setCodec(StringCodec.INSTANCE);
      config.useSingleServer().setAddress(server.url());
      return new Redis(server, Redisson.create(config));
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  @Override
  public void close() {
    try {
      client.shutdown();
    } finally {
      server.close();
    }
  }
}
