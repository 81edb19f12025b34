package io.asyncflow.api.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.JobChild;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.Team;
import io.asyncflow.api.codec.Field.Kind;
import io.asyncflow.api.schedule.NewSchedule;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SealingTest {

  private static final Field CONTEXT = Field.of(Kind.CONTEXT, "lark", "ann");
  private static final String SEALED = new SealedText("tink1", 7, "QUJD", List.of()).toString();

  /** Writes the field in front of a text, and its mark in front of an object. */
  private record Marking(String mark) implements PayloadCodec {

    private String prefix(Field field) {
      return "%s(%s %s %s)".formatted(mark, field.kind(), field.taskType(), field.owner());
    }

    @Override
    public String seal(Field field, String text) {
      String key = field.idempotencyKey() == null ? "" : "[" + field.idempotencyKey() + "]";
      return prefix(field) + key + text;
    }

    @Override
    public String open(Field field, String text) {
      if (!text.startsWith(mark)) {
        return text;
      }
      if (!text.startsWith(prefix(field))) {
        throw new CodecException("of another field");
      }
      return text.substring(prefix(field).length()).replaceFirst("^\\[.*?]", "");
    }

    @Override
    public OutputStream sealing(Field field, OutputStream sealed) throws IOException {
      sealed.write(mark.getBytes(StandardCharsets.US_ASCII));
      return new FilterOutputStream(sealed);
    }

    @Override
    public InputStream opening(Field field, InputStream sealed) throws IOException {
      assertThat(new String(sealed.readNBytes(mark.length()), StandardCharsets.US_ASCII))
          .isEqualTo(mark);
      return sealed;
    }
  }

  private final Sealing sealing = Sealing.by(new Marking("s"));

  @Test
  void aTaskIsSealedUnderItsKey() {
    NewTask task = NewTask.of("Lark", "one", "ann", "text").withIdempotencyKey("k");
    assertThat(sealing.sealed(task)).isEqualTo(task.withTaskContext("s(CONTEXT lark ann)[k]text"));
    assertThat(sealing.sealed(task.withTaskContext(""))).isEqualTo(task.withTaskContext(""));
    assertThat(sealing.sealed(task.withTaskContext(null)).taskContext()).isNull();
  }

  @Test
  void aJobIsSealedWithItsTeamAndEachChildByItself() {
    NewJob job =
        NewJob.ofChildren(
                "book",
                "ann",
                List.of(new JobChild("one", "a", null), new JobChild("one", "a", null)))
            .withJobInput("in")
            .withIdempotencyKey("k")
            .withChildType("page");
    NewJob sealed = sealing.sealed(job);
    assertThat(sealed.jobInput()).isEqualTo("s(INPUT book ann)[k]in");
    assertThat(sealed.children())
        .extracting(JobChild::taskContext)
        .containsExactly("s(CONTEXT page ann)[k 0]a", "s(CONTEXT page ann)[k 1]a");
    Team team = sealing.sealed(NewJob.ofTeam("book", "ann", Team.of(2, "one", "t"))).team();
    assertThat(team.taskContext()).isEqualTo("s(CONTEXT book ann)t");
  }

  @Test
  void aScheduleIsSealedByItsNameAndOpened() {
    NewSchedule plan = NewSchedule.every("hourly", Duration.ofHours(1));
    for (NewSchedule schedule :
        List.of(
            plan.creating(NewTask.of("lark", "one", "ann", "text")),
            plan.creating(NewJob.of("book", "ann", "in")),
            plan.creating(NewJob.ofTeam("book", "ann", Team.of(2, "one", "t"))))) {
      NewSchedule sealed = sealing.sealed(schedule);
      assertThat(sealed.toString()).contains("[schedule hourly]");
      assertThat(sealing.opened(sealed)).isEqualTo(schedule);
    }
    assertThat(sealing.sealed(plan)).isEqualTo(plan);
  }

  @Test
  void aChainSealsInOneOrderAndOpensInTheOther() throws IOException {
    Sealing chain = Sealing.by(new Marking("a").then(new Marking("b")));
    String sealed = chain.seal(CONTEXT, "text");
    assertThat(sealed).isEqualTo("b(CONTEXT lark ann)a(CONTEXT lark ann)text");
    assertThat(chain.open(CONTEXT, sealed)).isEqualTo("text");
    PayloadCodec codec = new Marking("a").then(new Marking("b"));
    ByteArrayOutputStream object = new ByteArrayOutputStream();
    try (OutputStream out = codec.sealing(CONTEXT, object)) {
      out.write('x');
    }
    assertThat(object.toString(StandardCharsets.US_ASCII)).isEqualTo("bax");
    try (InputStream in = codec.opening(CONTEXT, new ByteArrayInputStream(object.toByteArray()))) {
      assertThat(in.readAllBytes()).containsExactly('x');
    }
  }

  @Test
  void withoutACodecTextsPassAndSealedOnesAreRefused() throws IOException {
    NewTask task = NewTask.of("lark", "one", "ann", "text");
    assertThat(Sealing.OFF.isOff()).isTrue();
    assertThat(Sealing.OFF.sealed(task)).isSameAs(task);
    assertThat(Sealing.OFF.open(CONTEXT, "text")).isEqualTo("text");
    assertThatExceptionOfType(CodecException.class)
        .isThrownBy(() -> Sealing.OFF.open(CONTEXT, SEALED))
        .withMessageContaining("context of type lark");
    assertThat(read(Sealing.OFF.opening(CONTEXT, new StringReader("text")))).isEqualTo("text");
    assertThatExceptionOfType(CodecException.class)
        .isThrownBy(() -> Sealing.OFF.opening(CONTEXT, new StringReader(SEALED)));
  }

  @Test
  void aStreamedTextIsOpenedOrPassed() throws IOException {
    Field input = Field.of(Kind.INPUT, "book", "ann");
    for (String text : List.of("", "x", "{\"$seal", "x".repeat(100_000))) {
      assertThat(read(sealing.opening(input, new StringReader(text)))).isEqualTo(text);
      assertThat(read(Sealing.OFF.opening(input, new StringReader(text)))).isEqualTo(text);
    }
    String sealed = sealing.seal(input, "text");
    assertThat(read(sealing.opening(input, new StringReader(sealed)))).isEqualTo("text");
  }

  private static String read(Reader in) throws IOException {
    StringWriter text = new StringWriter();
    in.transferTo(text);
    return text.toString();
  }

  @Test
  void whatTheCodecLeavesSealedIsNoPlainText() {
    assertThat(sealing.open(CONTEXT, "plain")).isEqualTo("plain");
    assertThatExceptionOfType(CodecException.class)
        .isThrownBy(() -> sealing.open(CONTEXT, SEALED))
        .withMessageContaining("no codec here that opens it");
  }

  @Test
  void anObjectThatCannotBeOpenedIsClosed() {
    AtomicBoolean isClosed = new AtomicBoolean();
    InputStream stored =
        new ByteArrayInputStream(new byte[0]) {
          @Override
          public void close() {
            isClosed.set(true);
          }
        };
    Sealing broken = Sealing.by(new Broken());
    StoreKey key = new StoreKey("7_lark_task_1", "render", 3, "page.png");
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> broken.opening(key, stored));
    assertThat(isClosed).isTrue();
  }

  /** Opens nothing. */
  private record Broken() implements PayloadCodec {

    @Override
    public String seal(Field field, String text) {
      return text;
    }

    @Override
    public String open(Field field, String text) {
      throw new CodecException("broken");
    }

    @Override
    public OutputStream sealing(Field field, OutputStream sealed) {
      return sealed;
    }

    @Override
    public InputStream opening(Field field, InputStream sealed) throws IOException {
      throw new IOException("broken");
    }
  }
}
