package io.asyncflow.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * What a call gets of the envelope that answers it.
 *
 * @param <T> what the caller gets of the envelope's result
 */
final class Answer<T> {

  /** That of a call without a result. */
  static final Answer<Void> NONE = new Answer<>(readerOf(Object.class), false, nothing -> null);

  /** The envelope of every answer; {@code errors} only with an error. */
  private record Envelope<R>(Integer code, String msg, R result, List<FieldError> errors) {}

  private final ObjectReader reader;
  private final boolean hasResult;
  private final Function<Object, T> value;

  private Answer(ObjectReader reader, boolean hasResult, Function<Object, T> value) {
    this.reader = reader;
    this.hasResult = hasResult;
    this.value = value;
  }

  /** The result itself. */
  static <T> Answer<T> of(Class<T> result) {
    return of(result, Function.identity());
  }

  /** A value of the result. */
  static <R, T> Answer<T> of(Class<R> result, Function<R, T> value) {
    return new Answer<>(readerOf(result), true, value.compose(result::cast));
  }

  private static ObjectReader readerOf(Class<?> result) {
    return WireJson.readerOf(Envelope.class, result);
  }

  /** The same answer, read with a feature of Jackson. */
  Answer<T> with(DeserializationFeature feature) {
    return new Answer<>(reader.with(feature), hasResult, value);
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
