package io.asyncflow.worker.internal.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.InvalidStageException;
import io.asyncflow.worker.JobSplitter;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.WorkerSettings;
import io.asyncflow.worker.testing.StageHarness;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class StageRegistryTest {

  private final StageRegistry registry = new StageRegistry();
  private final StageHandler handler = context -> StageResult.done();

  record Note(String text) {}

  private StageHandler handlerOf(String stage) {
    return registry.types().get("lark").get(stage).handler();
  }

  @Test
  void typesAreLowerCase() {
    registry.register("LARK", "Send", handler, StageNeeds.slots(1));
    assertThat(registry.types()).containsOnlyKeys("lark");
    assertThat(registry.types().get("lark")).containsOnlyKeys("Send");
    assertThat(registry.types().get("lark").get("Send").places()).isEqualTo(1);
  }

  @Test
  void aStageHasOneHandler() {
    registry.register("lark", "send", handler, StageNeeds.nothing());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> registry.register("Lark", "send", handler, StageNeeds.nothing()))
        .withMessageContaining("two handlers");
  }

  @Test
  void namesThatCannotBeOnesAreRefused() {
    for (String type : List.of("", "1a", "a b", "a".repeat(32), "a-b", "my_task", "my_task_1")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> registry.register(type, "send", handler, StageNeeds.nothing()));
    }
    for (String stage :
        List.of("", " ", "a,b", "a".repeat(65), "a ", "\u3000a", "a\tb", "a\ud83d")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> registry.register("lark", stage, handler, StageNeeds.nothing()));
    }
  }

  @Test
  void whatNoHoldCouldAskForIsRefused() {
    for (int i = 0; i < 64; i++) {
      registry.register("lark", "stage" + i, handler, StageNeeds.nothing());
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> registry.register("lark", "one more", handler, StageNeeds.nothing()))
        .withMessageContaining("64 stages");
  }

  private static WorkerSettings settings(Map<String, Integer> slots, Map<String, String> labels) {
    WorkerSettings d = WorkerSettings.defaults();
    return new WorkerSettings(
        d.workerId(),
        d.threads(),
        d.prefetch(),
        d.backlogThreshold(),
        d.shutdownGrace(),
        d.outagePatience(),
        slots,
        labels,
        d.stuckThreshold(),
        d.version(),
        null);
  }

  @Test
  void onlyARunThatMayBeRepeatedInItsHoldHasLocalRetries() {
    StageNeeds needs = StageNeeds.nothing().retriedHere(1, Duration.ZERO);
    StageHandler splitter = AnnotatedStages.handlerOf((JobSplitter) context -> Stream.empty());
    BatchStageHandler batches = runs -> {};

    registry.register("lark", "one", handler, needs);
    Assertions.assertThatThrownBy(() -> registry.register("lark", "many", batches, needs))
        .isInstanceOf(InvalidStageException.class)
        .hasMessageContaining("localRetries");
    Assertions.assertThatThrownBy(() -> registry.register("lark", "split", splitter, needs))
        .isInstanceOf(InvalidStageException.class)
        .hasMessageContaining("localRetries");
  }

  static class Retried {
    @Stage(type = "lark", stage = "retried", localRetries = 3, localRetryPause = "1m30s")
    StageResult run(StageContext context) {
      return StageResult.done();
    }

    @Stage(type = "lark", stage = "unclear", localRetries = 3, localRetryPause = "soon")
    StageResult unclear(StageContext context) {
      return StageResult.done();
    }
  }

  @Test
  void localRetriesAreReadFromTheAnnotation() throws Exception {
    Stage retried =
        Retried.class.getDeclaredMethod("run", StageContext.class).getAnnotation(Stage.class);
    assertThat(StageNeeds.of(retried))
        .isEqualTo(StageNeeds.nothing().retriedHere(3, Duration.ofSeconds(90)));
    Stage unclear =
        Retried.class.getDeclaredMethod("unclear", StageContext.class).getAnnotation(Stage.class);
    Assertions.assertThatThrownBy(() -> StageNeeds.of(unclear))
        .isInstanceOf(InvalidStageException.class)
        .hasMessageContaining("localRetryPause 'soon'");
  }

  @Test
  void aWorkerHasTheStagesForWhichItHasTheLabels() {
    registry.register("tts", "split", handler, StageNeeds.nothing());
    registry.register("tts", "speak", handler, StageNeeds.slots(1).on("gpu", "model=kokoro"));
    registry.register("video", "cut", handler, StageNeeds.nothing().on("gpu"));
    Map<String, Integer> slots = Map.of("cpu", 1);
    assertThat(registry.withheldBy(settings(slots, Map.of())))
        .isEqualTo(
            Map.of("tts/speak", List.of("gpu", "model=kokoro"), "video/cut", List.of("gpu")));
    assertThat(registry.typesFor(settings(slots, Map.of()))).containsOnlyKeys("tts");
    assertThat(registry.typesFor(settings(slots, Map.of())).get("tts")).containsOnlyKeys("split");

    Map<String, String> gpu = Map.of("gpu", "H100", "model", "vits");
    assertThat(registry.typesFor(settings(slots, gpu))).containsOnlyKeys("tts", "video");
    assertThat(registry.typesFor(settings(slots, gpu)).get("tts")).containsOnlyKeys("split");

    Map<String, String> both = Map.of("gpu", "H100", "model", "vits, kokoro");
    assertThat(registry.typesFor(settings(slots, both)).get("tts"))
        .containsOnlyKeys("split", "speak");
    assertThat(registry.withheldBy(settings(slots, both))).isEmpty();
  }

  @Test
  void aWorkerThatCouldRunNothingIsRefused() {
    registry.register("tts", "speak", handler, StageNeeds.slots(3).on("gpu"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> registry.typesFor(settings(Map.of("cpu", 1), Map.of())))
        .withMessageContaining("labels must be such that a stage can run here");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> registry.typesFor(settings(Map.of("a", 2, "b", 2), Map.of("gpu", ""))))
        .withMessageContaining("slots must be at least 3 on one device for stage speak");
  }

  static class Annotated {
    @Stage(type = "lark", stage = "context")
    StageResult context(StageContext context) {
      return StageResult.done(context.stage());
    }

    @Stage(type = "lark", stage = "typed", slot = true)
    public StageResult typed(Note note) {
      return StageResult.done(note.text());
    }

    @Stage(
        type = "lark",
        stage = "both",
        slots = 2,
        requires = {"gpu", "model=kokoro"},
        model = "kokoro")
    private StageResult both(StageContext context, List<Note> notes) {
      return StageResult.done(context.stage() + notes.get(0).text());
    }

    @Stage(type = "lark", stage = "throwing")
    StageResult throwing(StageContext context) throws IOException {
      throw new IOException("as it is");
    }
  }

  @Test
  void methodsAreHandlersOfTheStagesTheyName() throws Exception {
    AnnotatedStages.register(new Annotated(), registry);
    assertThat(registry.types().get("lark"))
        .containsOnlyKeys("context", "typed", "both", "throwing");
    assertThat(registry.types().get("lark").get("typed").places()).isEqualTo(1);
    assertThat(registry.types().get("lark").get("both").needs())
        .isEqualTo(StageNeeds.slots(2).on("gpu", "model=kokoro").loading("kokoro"));

    assertThat(StageHarness.run("context").with(handlerOf("context")))
        .isEqualTo(StageResult.done("context"));
    assertThat(StageHarness.run("typed").withContext(new Note("hi")).with(handlerOf("typed")))
        .isEqualTo(StageResult.done("hi"));
    assertThat(
            StageHarness.run("both").withContext(List.of(new Note("hi"))).with(handlerOf("both")))
        .isEqualTo(StageResult.done("bothhi"));
  }

  @Test
  void aModelIsLoadedOnASlot() {
    Assertions.assertThatIllegalArgumentException()
        .isThrownBy(() -> StageNeeds.nothing().loading("kokoro"))
        .withMessageContaining("kokoro");
  }

  @Test
  void whatAMethodThrowsIsThrownAsItIs() {
    AnnotatedStages.register(new Annotated(), registry);
    Assertions.assertThatThrownBy(() -> StageHarness.run("x").with(handlerOf("throwing")))
        .isInstanceOf(IOException.class)
        .hasMessage("as it is");
    Assertions.assertThatThrownBy(
            () -> StageHarness.run("x").withContext("no note").with(handlerOf("typed")))
        .isInstanceOf(NonRetryableException.class)
        .hasMessageContaining("cannot be read as " + Note.class.getName());
  }

  /** As any library may declare its own. */
  @Retention(RetentionPolicy.RUNTIME)
  @interface Nullable {}

  static class Lenient {
    @Stage(type = "lark", stage = "nullable")
    StageResult nullable(@Nullable Note note) {
      return StageResult.done(String.valueOf(note));
    }

    @Stage(type = "lark", stage = "optional")
    StageResult optional(StageContext context, Optional<Note> note) {
      return StageResult.done(note.toString());
    }

    @Stage(type = "lark", stage = "text")
    StageResult text(String context) {
      return StageResult.done("'" + context + "'");
    }

    @Stage(type = "lark", stage = "strict")
    StageResult strict(Note note) {
      return StageResult.done("never");
    }
  }

  @Test
  void aHandlerThatAsksForNoNullIsGivenNone() throws Exception {
    AnnotatedStages.register(new Lenient(), registry);
    for (String nothing : List.of("null", "")) {
      StageHarness run = StageHarness.run("x").withContext(nothing);
      assertThat(run.with(handlerOf("nullable"))).isEqualTo(StageResult.done("null"));
      assertThat(run.with(handlerOf("optional"))).isEqualTo(StageResult.done("Optional.empty"));
      assertThat(run.with(handlerOf("text"))).isEqualTo(StageResult.done("'" + nothing + "'"));
      Assertions.assertThatThrownBy(() -> run.with(handlerOf("strict")))
          .isInstanceOf(NonRetryableException.class)
          .hasMessageStartingWith("the context cannot be read as " + Note.class.getName())
          .hasMessageEndingWith(nothing.isEmpty() ? "it is empty" : "it is null");
    }
  }

  @Stage(type = "lark", stage = "class")
  static class Marked implements StageHandler {
    @Override
    public StageResult handle(StageContext context) {
      return StageResult.done();
    }
  }

  @Test
  void aMarkedClassIsAHandler() {
    Marked marked = new Marked();
    AnnotatedStages.register(marked, registry);
    assertThat(handlerOf("class")).isSameAs(marked);
  }

  static class NoResult {
    @Stage(type = "lark", stage = "x")
    void run(StageContext context) {}
  }

  static class WrongOrder {
    @Stage(type = "lark", stage = "x")
    StageResult run(Note note, StageContext context) {
      return StageResult.done();
    }
  }

  static class Nothing {
    @Stage(type = "lark", stage = "x")
    StageResult run() {
      return StageResult.done();
    }
  }

  @Stage(type = "lark", stage = "x")
  static class NoHandler {}

  @Test
  void whatCannotBeAHandlerIsRefusedWithTheReason() {
    refused(new NoResult(), "does not return a StageResult; let it return");
    refused(new WrongOrder(), "in this order");
    refused(new Nothing(), "let it take a StageContext");
    refused(new NoHandler(), "is no handler of stage x; implement StageHandler");
    refused(new Object(), "nothing marked with @Stage");
  }

  private void refused(Object target, String reason) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AnnotatedStages.register(target, registry))
        .withMessageContaining(reason);
  }
}
