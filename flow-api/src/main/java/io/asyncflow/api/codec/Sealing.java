package io.asyncflow.api.codec;

import io.asyncflow.api.Job;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.Team;
import io.asyncflow.api.codec.Field.Kind;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.SchedulePage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Applies a codec to the texts in records of the contract. A text that is {@code null} or empty
 * stays as it is. Thread-safe.
 */
public final class Sealing {

  /** Without a codec: sends texts as they are, and takes no sealed text for a plain one. */
  public static final Sealing OFF = new Sealing(null);

  private final PayloadCodec codec;

  private Sealing(PayloadCodec codec) {
    this.codec = codec;
  }

  /** The sealing of this codec. */
  public static Sealing by(PayloadCodec codec) {
    return new Sealing(Objects.requireNonNull(codec, "codec"));
  }

  /** Whether there is no codec. */
  public boolean isOff() {
    return codec == null;
  }

  /** Seals a text. */
  public String seal(Field field, String text) {
    return codec == null || isEmpty(text) ? text : codec.seal(field, text);
  }

  /**
   * Opens a text; one that is not sealed stays as it is.
   *
   * @throws CodecException if it is sealed and cannot be opened, or the codec leaves it sealed
   *     because another one has sealed it
   */
  public String open(Field field, String text) {
    if (isEmpty(text)) {
      return text;
    }
    String opened = codec == null ? text : codec.open(field, text);
    if (SealedText.isSealed(opened)) {
      throw new CodecException(
          "a "
              + field.kind().name().toLowerCase(Locale.ROOT)
              + " of type "
              + field.taskType()
              + " is sealed, and there is no codec here that opens it");
    }
    return opened;
  }

  private static boolean isEmpty(String text) {
    return text == null || text.isEmpty();
  }

  /**
   * Opens a text that is streamed.
   *
   * @throws CodecException if it is sealed and cannot be opened
   */
  public Reader opening(Field field, Reader in) throws IOException {
    BufferedReader text = new BufferedReader(in);
    if (codec == null && !isSealed(text)) {
      return text;
    }
    StringWriter whole = new StringWriter();
    try (text) {
      text.transferTo(whole);
    }
    return new StringReader(open(field, whole.toString()));
  }

  private static boolean isSealed(BufferedReader text) throws IOException {
    char[] beginning = new char[SealedText.BEGINNING.length()];
    text.mark(beginning.length);
    int length = 0;
    while (length < beginning.length) {
      int read = text.read(beginning, length, beginning.length - length);
      if (read < 0) {
        break;
      }
      length += read;
    }
    text.reset();
    return SealedText.isSealed(new String(beginning, 0, length));
  }

  /** Seals an object; see {@link PayloadCodec#sealing}. */
  public OutputStream sealing(StoreKey key, OutputStream sealed) throws IOException {
    return codec == null ? sealed : codec.sealing(Field.ofObject(key), sealed);
  }

  /** Opens an object; see {@link PayloadCodec#opening}. If that fails, {@code sealed} is closed. */
  public InputStream opening(StoreKey key, InputStream sealed) throws IOException {
    if (codec == null) {
      return sealed;
    }
    try {
      return codec.opening(Field.ofObject(key), sealed);
    } catch (IOException | RuntimeException e) {
      try (sealed) {
        throw e;
      }
    }
  }

  /**
   * A task, a job or a schedule that is created, or a list of these, with sealed contexts and
   * inputs; anything else as it is. The texts of a schedule depend on its name and on the plain
   * texts alone: a save of the same definition must change nothing.
   */
  @SuppressWarnings("unchecked") // each becomes one of its class
  public <T> T sealed(T sent) {
    Object sealed = sent;
    if (codec == null) {
      return sent;
    } else if (sent instanceof NewTask task) {
      sealed = changed(task, task.idempotencyKey(), codec::seal);
    } else if (sent instanceof NewJob job) {
      sealed = changed(job, job.idempotencyKey(), codec::seal);
    } else if (sent instanceof NewSchedule schedule) {
      sealed = changed(schedule, "schedule " + schedule.name(), codec::seal);
    } else if (sent instanceof List<?> all) {
      sealed = all.stream().map(this::sealed).toList();
    }
    return (T) sealed;
  }

  /**
   * A task, a job, a schedule, its definition, or a page of these with the texts opened, except
   * those in the context store; anything else as it is. Records of a page whose texts cannot be
   * opened stay sealed.
   *
   * @throws CodecException if a text of the record cannot be opened
   */
  @SuppressWarnings("unchecked") // each becomes one of its class
  public <T> T opened(T shown) {
    Object opened = shown;
    if (shown instanceof Task task) {
      opened =
          task.withTexts(
              open(Field.of(Kind.CONTEXT, task), task.taskContext()),
              open(Field.of(Kind.RESULT, task), task.result()));
    } else if (shown instanceof Job job) {
      opened =
          job.withResult(open(Field.of(Kind.RESULT, job.jobType(), job.userId()), job.result()));
    } else if (shown instanceof NewSchedule definition) {
      opened = changed(definition, null, this::open);
    } else if (shown instanceof Schedule schedule) {
      opened = schedule.withDefinition(opened(schedule.definition()));
    } else if (shown instanceof TaskPage page) {
      opened = new TaskPage(allOpened(page.taskList(), this::opened), page.nextCursor());
    } else if (shown instanceof JobPage page) {
      opened = new JobPage(allOpened(page.jobList(), this::opened), page.nextCursor());
    } else if (shown instanceof SchedulePage page) {
      opened = new SchedulePage(allOpened(page.scheduleList(), this::opened), page.nextCursor());
    }
    return (T) opened;
  }

  /** One record whose key is lost must not hide all others: it stays sealed. */
  static <T> List<T> allOpened(List<T> shown, UnaryOperator<T> opening) {
    return shown.stream()
        .map(
            one -> {
              try {
                return opening.apply(one);
              } catch (CodecException staysSealed) {
                return one;
              }
            })
        .toList();
  }

  private static NewSchedule changed(
      NewSchedule schedule, String key, BiFunction<Field, String, String> change) {
    if (schedule.taskData() != null) {
      return schedule.creating(changed(schedule.taskData(), key, change));
    }
    return schedule.jobData() == null
        ? schedule
        : schedule.creating(changed(schedule.jobData(), key, change));
  }

  private static NewTask changed(
      NewTask task, String key, BiFunction<Field, String, String> change) {
    Field context = Field.of(Kind.CONTEXT, task.taskType(), task.userId());
    return task.withTaskContext(
        changed(context.withIdempotencyKey(key), task.taskContext(), change));
  }

  private static NewJob changed(NewJob job, String key, BiFunction<Field, String, String> change) {
    String childType = job.childType() == null ? job.jobType() : job.childType();
    Field input = Field.of(Kind.INPUT, job.jobType(), job.userId()).withIdempotencyKey(key);
    Field context = Field.of(Kind.CONTEXT, childType, job.userId()).withIdempotencyKey(key);
    NewJob changed = job.withJobInput(changed(input, job.jobInput(), change));
    if (job.team() != null) {
      Team team = job.team();
      changed =
          changed.withTeam(team.withTaskContext(changed(context, team.taskContext(), change)));
    }
    return job.children() == null
        ? changed
        : changed.withChildren(changed(job.children(), context, change));
  }

  private static List<JobChild> changed(
      List<JobChild> children, Field context, BiFunction<Field, String, String> change) {
    List<JobChild> changed = new ArrayList<>();
    for (JobChild child : children) {
      // A key of its own for each child: else equal contexts would look equal.
      String key = context.idempotencyKey();
      Field own = key == null ? context : context.withIdempotencyKey(key + " " + changed.size());
      changed.add(child.withTaskContext(changed(own, child.taskContext(), change)));
    }
    return changed;
  }

  private static String changed(
      Field field, String text, BiFunction<Field, String, String> change) {
    return isEmpty(text) ? text : change.apply(field, text);
  }
}
