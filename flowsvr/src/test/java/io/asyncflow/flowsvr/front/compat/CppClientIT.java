package io.asyncflow.flowsvr.front.compat;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.wire.Wire;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

/** Clients of the C++ project get what they expect; they have paths of the Go projects. */
@RunningServer
@TestPropertySource(properties = "flow.compat.go-paths=cpp")
@Tag("contract")
class CppClientIT {

  @LocalServerPort int port;

  @Test
  void recordedSessionIsAnsweredAsTheClientExpects() {
    OldClientIT.replay("cpp.http", new Wire(port));
  }
}
