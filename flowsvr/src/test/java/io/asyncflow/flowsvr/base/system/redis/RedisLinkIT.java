package io.asyncflow.flowsvr.base.system.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.Relay;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What Redis may do to a server: nothing, whether it is there, dead, frozen, or back. */
@ExtendWith(OutputCaptureExtension.class)
class RedisLinkIT {

  private static final Duration FAST = Duration.ofSeconds(3);
  private static final AtomicInteger CHANNELS = new AtomicInteger();

  private final EmbeddedRedis redis = TestServices.redis();
  private final String channel = "test:" + CHANNELS.incrementAndGet();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  private RedisLink aLink() {
    return aLinkTo(redis.url());
  }

  private RedisLink aLinkTo(String url) {
    RedisLink link = new RedisLink(url);
    open.add(link::destroy);
    return link;
  }

  private Queue<String> heardBy(RedisLink link) {
    Queue<String> heard = new ConcurrentLinkedQueue<>();
    open.add(0, link.subscribe(channel, heard::add));
    return heard;
  }

  /** Until a subscription stands nobody hears anything, so this is said again and again. */
  private void awaitHearing(RedisLink speaker, Queue<String> heard) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              speaker.publish(channel, "anybody?");
              return heard.contains("anybody?");
            });
  }

  private static void assertFast(Runnable call) {
    long begin = System.nanoTime();
    call.run();
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(FAST);
  }

  private void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(redis.pid())).start().waitFor();
  }

  @Test
  void whatOneServerPublishesTheOthersHearOnce() {
    RedisLink speaker = aLink();
    Queue<String> first = heardBy(aLink());
    Queue<String> second = heardBy(aLink());
    awaitHearing(speaker, first);
    awaitHearing(speaker, second);

    speaker.publish(channel, "news");
    speaker.publish(channel, "end");

    await().until(() -> first.contains("end") && second.contains("end"));
    assertThat(first).containsOnlyOnce("news");
    assertThat(second).containsOnlyOnce("news");
  }

  @Tag("faults")
  @Test
  void deadRedisCostsNobodyAnythingAndIsSaidOnce(CapturedOutput output) {
    RedisLink link = aLink();
    await().until(link::answers);

    redis.kill();
    for (int i = 0; i < 50; i++) {
      assertFast(() -> assertThat(link.answers()).isFalse());
      assertFast(() -> link.publish(channel, "nobody hears this"));
    }

    assertThat(saidOf("Redis does not answer", output)).hasSize(1);
    assertNoStackTrace(output);
  }

  @Tag("faults")
  @Test
  void redisThatIsBackIsUsedAgain(CapturedOutput output) {
    RedisLink speaker = aLink();
    RedisLink listener = aLink();
    Queue<String> heard = heardBy(listener);
    awaitHearing(speaker, heard);
    redis.kill();
    for (int i = 0; i < 5; i++) {
      speaker.publish(channel, "nobody hears this");
    }

    redis.restart();
    heard.clear();

    awaitHearing(speaker, heard);
    await().until(speaker::answers);
    speaker.publish(channel, "news");
    speaker.publish(channel, "end");
    await().until(() -> heard.contains("end"));
    assertThat(heard).containsOnlyOnce("news");
    assertThat(saidOf("Redis answers again", output)).hasSize(1);
    assertNoStackTrace(output);
  }

  @Tag("faults")
  @Test
  void frozenRedisIsGivenUpInTimeAndUsedAgainOnceItThaws() throws Exception {
    RedisLink link = aLink();
    await().until(link::answers);

    signal("STOP");
    try {
      for (int i = 0; i < 10; i++) {
        assertFast(() -> assertThat(link.answers()).isFalse());
      }
      long begin = System.nanoTime();
      for (int i = 0; i < 10; i++) {
        link.answers();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .as("the breaker is open")
          .isLessThan(FAST);
    } finally {
      signal("CONT");
    }

    await().atMost(Duration.ofSeconds(20)).until(link::answers);
  }

  @Test
  void connectionsThatTheNetworkHasForgottenAreReplacedAndTheSubscriptionStandsAgain() {
    try (Relay network = Relay.to(redis.port())) {
      RedisLink listener = aLinkTo(redis.urlVia(network.port()));
      Queue<String> heard = heardBy(listener);
      RedisLink speaker = aLink();
      awaitHearing(speaker, heard);

      network.forgetConnections();
      heard.clear();

      assertFast(() -> assertThat(listener.answers()).isFalse());
      awaitHearing(speaker, heard);
      await().until(listener::answers);
    }
  }

  @Tag("faults")
  @Test
  void serverThatStartsWithoutRedisUsesItOnceItIsThere(CapturedOutput output) {
    redis.kill();
    RedisLink link = aLink();
    Queue<String> heard = heardBy(link);
    assertFast(() -> assertThat(link.answers()).isFalse());
    await().until(() -> output.getOut().contains("redis-subscribe failed"));

    redis.restart();

    awaitHearing(link, heard);
    assertThat(saidOf("redis-subscribe failed", output))
        .singleElement(STRING)
        .contains("Unable to connect to Redis server")
        .contains(Integer.toString(redis.port()));
    assertNoStackTrace(output);
  }

  @Tag("faults")
  @Test
  void linkIsClosedInTimeAlthoughRedisIsDead() {
    RedisLink link = new RedisLink(redis.url());
    await().until(link::answers);
    redis.kill();

    long begin = System.nanoTime();
    link.destroy();

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void withoutAnAddressNothingHappens() throws Exception {
    RedisLink none = aLinkTo("");

    assertThat(none.isConfigured()).isFalse();
    assertThat(none.answers()).isFalse();
    none.publish(channel, "nobody hears this");
    none.subscribe(channel, message -> {}).close();
  }

  private static List<String> saidOf(String words, CapturedOutput output) {
    return output.getOut().lines().filter(line -> line.contains(words)).toList();
  }

  private static void assertNoStackTrace(CapturedOutput output) {
    assertThat(output.getOut().lines().filter(line -> line.startsWith("\tat org.redisson")))
        .isEmpty();
  }
}
