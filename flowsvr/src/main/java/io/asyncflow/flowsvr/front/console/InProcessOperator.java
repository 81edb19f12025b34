package io.asyncflow.flowsvr.front.console;

import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.console.Done;
import io.asyncflow.console.OperatorClient;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.chain.CallGate;
import io.asyncflow.flowsvr.edge.web.error.ApiError;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.front.console.CallHandlers.Handler;
import io.asyncflow.flowsvr.front.console.SharedReads.Answer;
import io.asyncflow.flowsvr.front.console.SharedReads.Question;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes calls of the API by entering their controller methods, in the name of the caller of the
 * request that this thread serves.
 *
 * <p>What a page reads that is only opened takes no connection from the work: it is shared for
 * three seconds by all who may see the same, and is read by {@link ReadDatabase}. The page that
 * follows an act reads anew. Thread-safe.
 */
@Component
class InProcessOperator implements OperatorClient {

  private static final Logger log = LoggerFactory.getLogger(InProcessOperator.class);

  /** Pages that only show something: forms are sent by POST. */
  private static final Set<String> LOOKS = Set.of("GET", "HEAD");

  /** An answer of which each reader keeps much besides. */
  private static final int LARGE_BYTES = 256 * 1024;

  private static final String LISTS = InProcessOperator.class.getName() + ".lists";
  private static final String COUNTED = InProcessOperator.class.getName() + ".counted";

  private final CallHandlers handlers;
  private final JsonMapper json;
  private final CallGate gate;
  private final ReadDatabase reads;
  private final SharedReads shared;

  InProcessOperator(
      CallHandlers handlers,
      JsonMapper json,
      CallGate gate,
      ReadDatabase reads,
      SharedReads shared) {
    this.handlers = handlers;
    this.json = json;
    this.gate = gate;
    this.reads = reads;
    this.shared = shared;
  }

  @Override
  @SuppressWarnings("unchecked") // a question is of a call, and so is its answer
  public <T> T send(Call<T> call) {
    Handler handler = handlers.find(call.path());
    HttpServletRequest request = admit(handler);
    if (!LOOKS.contains(request.getMethod())) {
      try {
        return (T) answer(handler, call, request).value();
      } finally {
        if (!handler.reads()) {
          shared.forgetAll();
        }
      }
    }
    if (!handler.reads()) {
      throw new IllegalStateException(
          call.path() + " changes something, and its page was only opened");
    }
    Supplier<Answer> read = () -> reads.instead(() -> answer(handler, call, request));
    Answer answer =
        handler.isOfTheCaller()
            ? read.get()
            : shared.find(Question.of(call, caller()), read, Done.isOf(request));
    if (answer.bytes() > LARGE_BYTES) {
      keepShare(handler, request);
    }
    return (T) answer.value();
  }

  /**
   * Counts a call in the rate of its caller: a page that has begun is finished, and those after it
   * wait the longer. Refuses it while the database is known to be down.
   */
  private HttpServletRequest admit(Handler handler) {
    HttpServletRequest request = request();
    boolean isFirst = request.getAttribute(COUNTED) == null;
    request.setAttribute(COUNTED, true);
    gate.count(handler.method(), isFirst);
    gate.requireDatabase();
    return request;
  }

  private static HttpServletRequest request() {
    return ((ServletRequestAttributes) RequestContextHolder.currentRequestAttributes())
        .getRequest();
  }

  private Answer answer(Handler handler, Call<?> call, HttpServletRequest request) {
    keepShare(handler, request);
    try {
      Fields fields = Fields.of((ObjectNode) json.readTree(call.json()));
      byte[] envelope = json.writeValueAsBytes(enter(handler, null, fields));
      return new Answer(call.answer().read(envelope), envelope.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Takes a share of the lists for the whole page, which is rendered from them.
   *
   * @throws FlowException if there are too many
   */
  private void keepShare(Handler handler, HttpServletRequest request) {
    if (request.getAttribute(LISTS) == null && gate.takeList(request, handler.method())) {
      request.setAttribute(LISTS, true);
    }
  }

  @Override
  public void read(StoreKey key, HttpServletResponse to) throws IOException {
    String epoch = Integer.toString(key.epoch());
    receive(CallHandlers.OBJECT, to, key.taskId(), key.stage(), epoch, key.name());
  }

  @Override
  public void readInput(String jobId, HttpServletResponse to) throws IOException {
    receive(CallHandlers.INPUT, to, Fields.of(json.createObjectNode().put("jobId", jobId)));
  }

  private void receive(String path, HttpServletResponse to, Object... given) throws IOException {
    Handler handler = handlers.find(path);
    admit(handler);
    enter(handler, to, given);
  }

  /**
   * Enters a controller method through the door that asks for its verb.
   *
   * @param given its arguments but the caller, the request and the response
   * @throws FlowException the answer that HTTP would have given
   */
  private Object enter(Handler handler, HttpServletResponse response, Object... given)
      throws IOException {
    Iterator<Object> next = List.of(given).iterator();
    Object[] arguments =
        Stream.of(handler.method().getMethod().getParameterTypes())
            .map(
                type ->
                    type == Caller.class
                        ? caller()
                        : type == HttpServletRequest.class
                            ? request()
                            : type == HttpServletResponse.class ? response : next.next())
            .toArray();
    try {
      return handler.method().getMethod().invoke(handler.method().getBean(), arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException broken) {
        throw broken;
      }
      throw refusal(e.getCause(), handler);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Caller caller() {
    return (Caller) SecurityContextHolder.getContext().getAuthentication().getPrincipal();
  }

  private static FlowException refusal(Throwable failure, Handler handler) {
    if (failure instanceof FlowException refused) {
      return refused;
    }
    ApiError error = ApiError.of(failure);
    if (error.code() == ErrorCode.INTERNAL) {
      log.error("{}: 8099, a bug; the page contains no details", handler.method(), failure);
    }
    return new FlowException(error.code(), error.message(), error.errors(), failure);
  }
}
