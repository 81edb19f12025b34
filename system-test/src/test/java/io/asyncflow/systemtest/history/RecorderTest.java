package io.asyncflow.systemtest.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.fake.FakeFlowServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JacksonException;

class RecorderTest {

  @TempDir Path directory;

  @Test
  void whatIsWrittenIsReadInTheOrderOfTime() {
    try (Recorder one = Recorder.open(directory, "one");
        Recorder two = Recorder.open(directory, "two")) {
      one.record(1, Event.draft(Act.READ, Phase.INVOKE).task("t"));
      two.record(1, Event.draft(Act.BEAT, Phase.OK).task("t").epoch(2).leaseMs(3_000L));
      one.record(1, Event.draft(Act.READ, Phase.OK).task("t").text("\"line\nbreak\""));

      assertThat(History.in(directory).events())
          .extracting(Event::process, Event::act, Event::text)
          .containsExactly(
              tuple("one", Act.READ, null),
              tuple("two", Act.BEAT, null),
              tuple("one", Act.READ, "\"line\nbreak\""));
    }
  }

  @Test
  void lastLineMayBeCutByAKill() throws IOException {
    Path file = directory.resolve("one.jsonl");
    try (Recorder one = Recorder.open(directory, "one")) {
      one.record(1, Event.draft(Act.READ, Phase.INVOKE).task("t"));
    }
    Files.writeString(file, "{\"at\":12,\"proc", StandardOpenOption.APPEND);
    assertThat(History.in(directory).events()).hasSize(1);

    Files.writeString(file, "\n{\"at\":13}\n", StandardOpenOption.APPEND);
    assertThatThrownBy(() -> History.in(directory).events())
        .isInstanceOf(UncheckedIOException.class)
        .hasRootCauseInstanceOf(JacksonException.class);
  }

  @Test
  void callWithoutAnswerIsUnknownAndItsExceptionPasses() {
    FlowClient silent =
        (FlowClient)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {FlowClient.class},
                (proxy, method, arguments) -> {
                  throw new FlowUnreachableException("no answer", null);
                });
    try (Recorder recorder = Recorder.open(directory, "one")) {
      FlowClient client = new RecordingFlowClient(silent, recorder);
      assertThatThrownBy(() -> client.getTask("t")).isInstanceOf(FlowUnreachableException.class);
    }
    assertThat(History.in(directory).events())
        .extracting(Event::phase)
        .containsExactly(Phase.INVOKE, Phase.UNKNOWN);
  }

  @Test
  void aVerdictOfALaterVersionIsRecordedAsTheAnswerThatItIs() {
    FlowClient later =
        new ForwardingFlowClient(new FakeFlowServer()) {
          @Override
          public List<ReportResult> report(List<Report> reports) {
            return List.of(new ReportResult("t", null, 0, "ok"));
          }
        };
    Report report = Report.of("t", "w", 1, Outcome.SUCCESS).withReportId("r");
    try (Recorder recorder = Recorder.open(directory, "one")) {
      new RecordingFlowClient(later, recorder).report(List.of(report));
    }
    assertThat(History.in(directory).events())
        .extracting(Event::phase, Event::answer)
        .containsExactly(tuple(Phase.INVOKE, null), tuple(Phase.OK, "null"));
  }
}
