package io.asyncflow.dev.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.host.OwnerOnly;
import io.asyncflow.dev.host.OwnerOnlyFiles;
import io.asyncflow.dev.process.ChildProcess;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("faults")
@Timeout(60)
class EmbeddedRedisIT {
  @TempDir Path directory;

  @Test
  void stoppedServerComesBackOnTheSamePort() {
    try (EmbeddedRedis redis = EmbeddedRedis.start(directory, 0)) {
      String url = redis.url();
      assertThat(LoopbackPort.answersPing(redis.port(), redis.password())).isTrue();

      redis.stop();
      assertThat(LoopbackPort.answersPing(redis.port(), redis.password())).isFalse();
      redis.restart();

      assertThat(redis.url()).isEqualTo(url).isEqualTo(redis.urlVia(redis.port()));
      assertThat(LoopbackPort.answersPing(redis.port(), redis.password())).isTrue();
    }
  }

  @Test
  void killedServerComesBackOnTheSamePort() {
    try (EmbeddedRedis redis = EmbeddedRedis.start(directory, 0)) {
      ProcessHandle killed = ProcessHandle.of(redis.pid()).orElseThrow();
      redis.kill();
      assertThat(killed.isAlive()).isFalse();
      redis.restart();
      assertThat(LoopbackPort.answersPing(redis.port(), redis.password())).isTrue();
    }
  }

  @Test
  void nothingIsWrittenButLogLockAndPassword() throws Exception {
    try (EmbeddedRedis redis = EmbeddedRedis.start(directory, 0)) {
      redis.stop();
    }
    try (var files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("asyncflow.lock", "secrets", "server.log");
    }
  }

  @Test
  void onlyTheOwnerGetsIn() throws Exception {
    try (EmbeddedRedis redis = EmbeddedRedis.start(directory, 0)) {
      assertThat(LoopbackPort.answersPing(redis.port(), "")).isFalse();
      assertThat(LoopbackPort.answersPing(redis.port(), OwnerOnly.newPassword())).isFalse();
      OwnerOnlyFiles.assertClosed(directory, redis.secrets(), redis.password(), redis.pid());
    }
  }

  @Test
  void orphanOfAKilledJvmIsStoppedFirst() throws Exception {
    try (ServerOwner owner = ServerOwner.of("redis", directory)) {
      ProcessHandle orphan = owner.server();
      owner.killWithItsWatchers();
      assertThat(ChildProcess.runsAProgram(orphan)).isTrue();

      try (EmbeddedRedis redis = EmbeddedRedis.start(directory, 0)) {
        assertThat(ChildProcess.runsAProgram(orphan)).isFalse();
        assertThat(redis.isRunning()).isTrue();
      }
    }
  }

  @Test
  void takenPortIsRefusedInOneSentence() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      assertThatThrownBy(() -> EmbeddedRedis.start(directory, taken.getLocalPort()))
          .hasMessage(
              "Port %d on 127.0.0.1 is taken, so Redis 7.0.15 (embedded) cannot start.",
              taken.getLocalPort());
    }
  }
}
