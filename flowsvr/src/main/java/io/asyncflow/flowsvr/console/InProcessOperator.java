package io.asyncflow.flowsvr.console;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.console.Done;
import io.asyncflow.console.OperatorClient;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.access.chain.RequestRateGate;
import io.asyncflow.flowsvr.console.SharedReads.Answer;
import io.asyncflow.flowsvr.console.SharedReads.Asked;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.error.ApiError;
import io.asyncflow.flowsvr.web.load.DatabaseGate;
import io.asyncflow.flowsvr.web.load.ListShare;
import io.asyncflow.flowsvr.web.read.Fields;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes calls of the API by entering their controller methods. It knows those whose arguments are
 * {@link Fields}, a {@link Caller} and the request, and which return an {@link Envelope}; and the
 * two that answer the bytes of an object, and of the input of a job.
 *
 * <p>What a page reads that is only opened takes no connection from the work: it is shared for two
 * seconds by all who may see the same, and is read by {@link ReadDatabase}. The page that follows
 * an act reads anew. Thread-safe.
 */
@Component
class InProcessOperator implements OperatorClient {

  private static final Logger log = LoggerFactory.getLogger(InProcessOperator.class);

  private static final String OBJECT = "/api/store/{taskId}/{stage}/{epoch}/{name}";
  private static final String INPUT = "/api/job/getJobInput";

  /** The calls that answer bytes. */
  private static final Set<String> BYTES = Set.of(OBJECT, INPUT);

  private static final Set<Class<?>> ARGUMENTS =
      Set.of(Fields.class, Caller.class, HttpServletRequest.class);

  /** How verbs end whose calls change nothing, also those that are POST alone. */
  private static final String READ = "_READ";

  /** The answer names the caller, or has what this one alone may see. */
  private static final Set<String> OF_THE_CALLER =
      Set.of("/api/meta", "/api/bulk/get", "/api/bulk/list");

  /** An answer of which each reader keeps much besides. */
  private static final int LARGE_BYTES = 256 * 1024;

  private static final String LISTS = InProcessOperator.class.getName() + ".lists";
  private static final String COUNTED = InProcessOperator.class.getName() + ".counted";

  private final ObjectProvider<RequestMappingHandlerMapping> mappings;
  private final JsonMapper json;
  private final DatabaseGate gate;
  private final ListShare lists;
  private final RequestRateGate rates;
  private final ReadDatabase reads;
  private final SharedReads shared;
  private volatile Map<String, Call> calls;

  /**
   * @param mappings asked when the first call is made, as the pages are among the handlers
   */
  InProcessOperator(
      @Qualifier("requestMappingHandlerMapping")
          ObjectProvider<RequestMappingHandlerMapping> mappings,
      JsonMapper json,
      DatabaseGate gate,
      ListShare lists,
      RequestRateGate rates,
      ReadDatabase reads,
      SharedReads shared) {
    this.mappings = mappings;
    this.json = json;
    this.gate = gate;
    this.lists = lists;
    this.rates = rates;
    this.reads = reads;
    this.shared = shared;
  }

  /**
   * A call that pages can make.
   *
   * @param reads whether it changes nothing
   * @param isShared whether callers with the same rights get the same answer
   */
  private record Call(HandlerMethod method, boolean reads, boolean isShared) {

    static Call of(RequestMappingInfo route, HandlerMethod method) {
      List<Verb> needs = List.of(method.getMethodAnnotation(Needs.class).value());
      boolean onlyReads =
          !needs.isEmpty() && needs.stream().allMatch(verb -> verb.name().endsWith(READ));
      boolean reads =
          onlyReads
              || route.getMethodsCondition().getMethods().contains(RequestMethod.GET)
                  && !needs.contains(Verb.WORK_HOLD);
      boolean isShared =
          reads
              && Collections.disjoint(route.getPatternValues(), OF_THE_CALLER)
              && !List.of(method.getMethod().getParameterTypes())
                  .contains(HttpServletRequest.class);
      return new Call(method, reads, isShared);
    }
  }

  @Override
  public JsonNode call(String path, Map<String, ?> fields) {
    Call call = calls().get(path);
    if (call == null) {
      throw new IllegalArgumentException("no call of the API: " + path);
    }
    ServletRequestAttributes attributes =
        (ServletRequestAttributes) RequestContextHolder.currentRequestAttributes();
    HttpServletRequest request = attributes.getRequest();
    count(call, request);
    gate.preHandle(request, null, call.method());
    if (!isLook(request)) {
      return act(call, fields, attributes);
    }
    if (!call.reads()) {
      throw new IllegalStateException(path + " changes something, and its page was only opened");
    }
    return call.isShared()
        ? look(path, call, fields, attributes)
        : reads.instead(() -> answer(call, fields, attributes)).tree();
  }

  /** A page that only shows something: forms are sent by POST. */
  private static boolean isLook(HttpServletRequest request) {
    return Set.of("GET", "HEAD").contains(request.getMethod());
  }

  /**
   * Counts the call in the rate of its caller. A page that has begun is finished, and those after
   * it wait the longer.
   */
  private void count(Call call, HttpServletRequest request) {
    boolean isFirst = request.getAttribute(COUNTED) == null;
    request.setAttribute(COUNTED, true);
    rates.count(call.method(), isFirst);
  }

  private JsonNode act(Call call, Map<String, ?> fields, ServletRequestAttributes attributes) {
    try {
      return answer(call, fields, attributes).tree();
    } finally {
      if (!call.reads()) {
        shared.forgetAll();
      }
    }
  }

  private JsonNode look(
      String path, Call call, Map<String, ?> fields, ServletRequestAttributes attributes) {
    Asked asked = Asked.of(path, fields, caller());
    Supplier<Answer> read = () -> reads.instead(() -> answer(call, fields, attributes));
    Answer answer =
        Done.isOf(attributes.getRequest()) ? shared.renew(asked, read) : shared.find(asked, read);
    if (answer.bytes() > LARGE_BYTES) {
      keepShare(call, attributes);
    }
    return answer.tree();
  }

  private Answer answer(Call call, Map<String, ?> fields, ServletRequestAttributes attributes) {
    keepShare(call, attributes);
    HandlerMethod method = call.method();
    Object[] arguments = arguments(method, fields, attributes.getRequest());
    byte[] text = json.writeValueAsBytes(enter(method, arguments).result());
    return new Answer(json.readTree(text), text.length);
  }

  /**
   * Takes a share of the lists for the whole page, which is rendered from them.
   *
   * @throws FlowException if there are too many
   */
  private void keepShare(Call call, ServletRequestAttributes attributes) {
    if (attributes.getAttribute(LISTS, RequestAttributes.SCOPE_REQUEST) == null
        && lists.take(attributes.getRequest(), call.method())) {
      attributes.setAttribute(LISTS, true, RequestAttributes.SCOPE_REQUEST);
    }
  }

  @Override
  public void read(StoreKey key, Receiver to) throws IOException {
    receive(OBJECT, to, key.taskId(), key.stage(), Integer.toString(key.epoch()), key.name());
  }

  @Override
  public void readInput(String jobId, Receiver to) throws IOException {
    receive(INPUT, to, Fields.of(json.<ObjectNode>valueToTree(Map.of("jobId", jobId))));
  }

  /**
   * Makes a call that answers bytes.
   *
   * @param of its arguments but the caller, the request and the response
   */
  private void receive(String path, Receiver to, Object... of) throws IOException {
    Call call = calls().get(path);
    HandlerMethod method = call.method();
    ServletRequestAttributes exchange =
        (ServletRequestAttributes) RequestContextHolder.currentRequestAttributes();
    count(call, exchange.getRequest());
    gate.preHandle(exchange.getRequest(), null, method);
    Iterator<Object> others = List.of(of).iterator();
    Object[] arguments =
        Arrays.stream(method.getMethod().getParameterTypes())
            .map(
                type ->
                    type == Caller.class
                        ? caller()
                        : type == HttpServletRequest.class
                            ? exchange.getRequest()
                            : type == HttpServletResponse.class
                                ? new ObjectAnswer(exchange.getResponse(), to)
                                : others.next())
            .toArray();
    try {
      ReflectionUtils.makeAccessible(method.getMethod());
      method.getMethod().invoke(method.getBean(), arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException broken) {
        throw broken;
      }
      throw refusal(e.getCause(), method);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private Object[] arguments(
      HandlerMethod method, Map<String, ?> fields, HttpServletRequest request) {
    return Arrays.stream(method.getMethod().getParameterTypes())
        .map(
            type ->
                type == Caller.class
                    ? caller()
                    : type == Fields.class
                        ? Fields.of(json.<ObjectNode>valueToTree(fields))
                        : request)
        .toArray();
  }

  /**
   * @throws FlowException if the request has none
   */
  private static Caller caller() {
    if (SecurityContextHolder.getContext().getAuthentication() != null
        && SecurityContextHolder.getContext().getAuthentication().getPrincipal()
            instanceof Caller caller) {
      return caller;
    }
    throw new FlowException(ErrorCode.NOT_AUTHENTICATED, "log in first");
  }

  private static Envelope<?> enter(HandlerMethod method, Object[] arguments) {
    try {
      ReflectionUtils.makeAccessible(method.getMethod());
      return (Envelope<?>) method.getMethod().invoke(method.getBean(), arguments);
    } catch (InvocationTargetException e) {
      throw refusal(e.getCause(), method);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The answer that HTTP would have given. */
  private static FlowException refusal(Throwable failure, HandlerMethod method) {
    if (failure instanceof FlowException refused) {
      return refused;
    }
    ApiError error = ApiError.of(failure);
    if (error.code() == ErrorCode.INTERNAL) {
      log.error("{}: 8099, a bug; the page contains no details", method, failure);
    }
    return new FlowException(error.code(), error.message(), error.errors(), failure);
  }

  private Map<String, Call> calls() {
    Map<String, Call> known = calls;
    if (known == null) {
      known = find(mappings.getObject());
      calls = known;
    }
    return known;
  }

  private static Map<String, Call> find(RequestMappingHandlerMapping mapping) {
    Map<String, Call> found = new HashMap<>();
    mapping
        .getHandlerMethods()
        .forEach(
            (route, handler) -> {
              if (isCall(handler) || answersBytes(route, handler)) {
                Call call = Call.of(route, handler.createWithResolvedBean());
                route.getPatternValues().forEach(path -> found.put(path, call));
              }
            });
    return Map.copyOf(found);
  }

  private static boolean answersBytes(RequestMappingInfo route, HandlerMethod handler) {
    return !Collections.disjoint(route.getPatternValues(), BYTES)
        && Arrays.asList(handler.getMethod().getParameterTypes())
            .contains(HttpServletResponse.class);
  }

  private static boolean isCall(HandlerMethod handler) {
    return handler.hasMethodAnnotation(Needs.class)
        && handler.getMethod().getReturnType() == Envelope.class
        && Arrays.stream(handler.getMethod().getParameterTypes()).allMatch(ARGUMENTS::contains);
  }
}
