package io.asyncflow.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectReader;
import io.asyncflow.api.IncomingEvents.Incoming;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.FollowedEvent;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * How the answer of a {@link Call} is read.
 *
 * @param <T> what the caller gets
 */
public abstract class Answer<T> {

  static final Enveloped<Void> NOTHING =
      new Enveloped<>(readerOf(Object.class), false, nothing -> null);

  /** That of a call without a result. */
  public static final Answer<Void> NONE = NOTHING;

  /** A text of any length. */
  static final Answer<Reader> TEXT =
      new Answer<>() {
        @Override
        Reader receive(HttpTransport http, Call<Reader> call) {
          return new InputStreamReader(http.open(call), StandardCharsets.UTF_8);
        }
      };

  /** The events of a job. */
  static final Answer<EventStream<JobEvent>> JOB_EVENTS =
      events(
          "the progress of the job",
          WireJson.readerOf(JobProgress.class),
          (JobProgress progress, Incoming event) ->
              progress == null
                  ? null
                  : new JobEvent(event.id(), "end".equals(event.event()), progress));

  /** The events of tasks, jobs and schedules. A kind of a later version must not end the stream. */
  public static final Answer<EventStream<FollowedEvent>> EVENTS =
      events(
          "the stream of events",
          withNewNames(WireJson.readerOf(Event.class)),
          (Event told, Incoming event) -> new FollowedEvent(told, event.id()));

  private static final ClassValue<Answer<?>> OF_CLASS =
      new ClassValue<>() {
        @Override
        protected Answer<?> computeValue(Class<?> result) {
          return of(result, Function.identity());
        }
      };

  private Answer() {}

  /** The result of the envelope; the same for the same class, so that equal calls are equal. */
  @SuppressWarnings("unchecked") // an answer is kept with its class
  public static <T> Answer<T> of(Class<T> result) {
    return (Answer<T>) OF_CLASS.get(result);
  }

  /** A value of the result of the envelope. */
  public static <R, T> Answer<T> of(Class<R> result, Function<R, T> value) {
    return new Enveloped<>(readerOf(result), true, value.compose(result::cast));
  }

  /** The result; names that a later version adds to its enums are {@code null}. */
  public static <T> Answer<T> ofAnyVersion(Class<T> result) {
    return new Enveloped<>(withNewNames(readerOf(result)), true, result::cast);
  }

  private static ObjectReader withNewNames(ObjectReader reader) {
    return reader.with(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL);
  }

  /**
   * @param data reads the data of an event
   * @param value what the caller gets of the data, which may be {@code null}; {@code null} for none
   */
  private static <D, E> Answer<EventStream<E>> events(
      String name, ObjectReader data, BiFunction<D, Incoming, E> value) {
    return new Answer<>() {
      @Override
      EventStream<E> receive(HttpTransport http, Call<EventStream<E>> call) {
        return new IncomingEvents<>(
            http.events(call),
            name,
            event ->
                value.apply(event.data() == null ? null : data.readValue(event.data()), event));
      }
    };
  }

  private static ObjectReader readerOf(Class<?> result) {
    return WireJson.readerOf(Envelope.class, result);
  }

  /** Sends the call over HTTP, and reads its answer. */
  abstract T receive(HttpTransport http, Call<T> call);

  /**
   * Reads the answer to a call that has succeeded, for transports other than HTTP.
   *
   * @param envelope the JSON that HTTP would have answered
   * @throws UnsupportedOperationException if such a call is not answered in an envelope
   */
  public T read(byte[] envelope) {
    throw new UnsupportedOperationException("the answer has no envelope");
  }

  /** The envelope of every answer that is whole JSON; {@code errors} only with an error. */
  private record Envelope<R>(Integer code, String msg, R result, List<FieldError> errors) {}

  /** A value of what is in an envelope. */
  static final class Enveloped<T> extends Answer<T> {

    private final ObjectReader reader;
    private final boolean hasResult;
    private final Function<Object, T> value;

    private Enveloped(ObjectReader reader, boolean hasResult, Function<Object, T> value) {
      this.reader = reader;
      this.hasResult = hasResult;
      this.value = value;
    }

    @Override
    T receive(HttpTransport http, Call<T> call) {
      return http.exchange(call, this);
    }

    /**
     * @param outages of the server that sent the body
     * @throws FlowUnreachableException if the body is no answer of flowsvr to such a call
     * @throws FlowException if flowsvr refuses the call
     */
    T read(byte[] body, String path, int status, Outages outages) {
      Envelope<?> envelope;
      try {
        envelope = reader.readValue(body);
      } catch (JsonProcessingException e) {
        throw isEnvelope(e)
            ? outages.unreadable(path, e.getOriginalMessage(), e)
            : outages.notFlowsvr(path, status, e);
      } catch (IOException e) {
        throw outages.notFlowsvr(path, status, e);
      }
      if (envelope == null || envelope.code() == null || !isOfFlowsvr(envelope.code(), status)) {
        throw outages.notFlowsvr(path, status, null);
      }
      if (envelope.code() != 0) {
        throw refusal(envelope, status);
      }
      if (hasResult && envelope.result() == null) {
        throw outages.unreadable(path, "it has no result", null);
      }
      return value.apply(envelope.result());
    }

    @Override
    public T read(byte[] envelope) {
      try {
        return value.apply(reader.<Envelope<?>>readValue(envelope).result());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Whether it is the result that cannot be read. */
    private static boolean isEnvelope(JsonProcessingException e) {
      return e instanceof JsonMappingException inside
          && !inside.getPath().isEmpty()
          && "result".equals(inside.getPath().get(0).getFieldName());
    }

    /** A gateway's answer may be an envelope, too, such as {@code {"code": 404}}. */
    private static boolean isOfFlowsvr(int code, int status) {
      return code == 0 ? status < 400 : code >= 8_000 && code < 9_000;
    }

    private static FlowException refusal(Envelope<?> envelope, int status) {
      return new FlowException(
          ErrorCode.of(envelope.code(), status),
          envelope.msg() == null ? "" : OneLine.of(envelope.msg()),
          Objects.requireNonNullElse(envelope.errors(), List.of()),
          null);
    }
  }
}
