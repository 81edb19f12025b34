package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HttpJobClientTest {

  @Test
  void actsOnAJobMaySayWhoAndWhy() throws Exception {
    try (StubServer server = new StubServer("/api/job/")) {
      server.answers("null");
      JobClient jobs = server.client().jobs();
      jobs.cancelJob("7");
      jobs.cancelJob("7", "ann", "wrong book");
      jobs.retryJob("7");
      jobs.retryJob("7", "ann", "right book");
      jobs.pauseJob("7", "ann", null);
      jobs.resumeJob("7");
      assertThat(server.seen)
          .containsExactly(
              "cancel {\"jobId\":\"7\"}",
              "cancel {\"jobId\":\"7\",\"operator\":\"ann\",\"reason\":\"wrong book\"}",
              "retry {\"jobId\":\"7\"}",
              "retry {\"jobId\":\"7\",\"operator\":\"ann\",\"reason\":\"right book\"}",
              "pause {\"jobId\":\"7\",\"operator\":\"ann\"}",
              "resume {\"jobId\":\"7\"}");
    }
  }
}
