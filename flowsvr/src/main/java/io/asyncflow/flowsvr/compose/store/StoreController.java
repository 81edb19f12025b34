package io.asyncflow.flowsvr.compose.store;

import io.asyncflow.api.BareAnswer;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.OutOfScopeException;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.budget.Budget;
import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.row.TaskAuthorization;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.field.TaskFields;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Streams objects; only small ones are ever in memory as a whole. */
@RestController
@RequestMapping("/api/store/{taskId}/{stage}/{epoch}/{name}")
class StoreController {

  private static final Logger log = LoggerFactory.getLogger(StoreController.class);

  private static final String DIGEST = "Content-Digest";
  private static final Pattern SHA_256 =
      Pattern.compile("(?:^|[ ,])sha-256=:([A-Za-z0-9+/]{43}=):(?:$|[ ,;])");

  /** Objects up to this size are read before the answer begins. */
  private static final int SMALL_BYTES = 256 * 1024;

  private final ContextStore store;
  private final WriteFence fence;
  private final OpenCalls calls;
  private final TaskAuthorization tasks;
  private final long maxBytes;
  private final Budget transfers;

  StoreController(
      ContextStore store,
      WriteFence fence,
      OpenCalls calls,
      TaskAuthorization tasks,
      StoreProperties properties,
      @Value("${flow.max-transfers-per-key:50}") int transfersPerKey) {
    this.store = store;
    this.fence = fence;
    this.calls = calls;
    this.tasks = tasks;
    this.maxBytes = properties.maxObject().toBytes();
    this.transfers = new Budget("transfers", properties.transfersAtOnce(), transfersPerKey);
  }

  @Takes(summary = "Puts an object of the run that holds the task")
  @RequestBody(
      content =
          @Content(
              mediaType = MediaType.APPLICATION_OCTET_STREAM_VALUE,
              schema = @Schema(type = "string", format = "binary")))
  @Needs(Verb.STORE_PUT)
  @PutMapping
  Envelope<Void> put(
      @PathVariable String taskId,
      @PathVariable String stage,
      @PathVariable String epoch,
      @PathVariable String name,
      @RequestParam(required = false) String workerId,
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpServletRequest request)
      throws IOException {
    InputStream body = request.getInputStream();
    long length = request.getContentLengthLong();
    try {
      List<FieldError> errors = new ArrayList<>();
      StoreKey key = key(taskId, stage, epoch, name, errors);
      if (key != null && taskOf(key).filter(id -> id.type().isReserved()).isPresent()) {
        errors.add(new FieldError("taskId", TaskFields.RESERVED_RULE));
      }
      if (workerId == null) {
        errors.add(new FieldError("workerId", "is required"));
      }
      if (length < 0) {
        errors.add(new FieldError(HttpHeaders.CONTENT_LENGTH, "is required"));
      }
      byte[] sha256 = sha256(request.getHeader(DIGEST), errors);
      refuseIfBad(errors);
      requireFor(key, workerId, caller);
      if (length > maxBytes) {
        throw new FlowException(
            ErrorCode.TOO_LARGE, "the object is larger than " + maxBytes + " bytes");
      }
      Exchange.of(request).take(transfers, 1);
      take(key, workerId, new Upload(body, length, sha256));
      return Envelope.ok(null);
    } catch (FlowException refused) {
      readOn(body, length);
      throw refused;
    }
  }

  private static void requireFor(StoreKey key, String workerId, Caller caller) {
    if (!caller.isScoped()) {
      return;
    }
    TaskId task = taskOf(key).orElseThrow(() -> missing(key));
    if (!caller.seesType(task.type().name())) {
      throw new TaskNotFoundException(task);
    }
    caller.requireWorker(workerId);
    if (!caller.stages().isAll()
        && caller.stages().listed().stream()
            .map(StoreKey::spelled)
            .noneMatch(key.stage()::equals)) {
      throw new OutOfScopeException("stage", key.stage());
    }
  }

  /** Empty where the first part of the key is not the id of a task. */
  private static Optional<TaskId> taskOf(StoreKey key) {
    return TaskId.parse(key.taskId());
  }

  private static FlowException missing(StoreKey key) {
    return new FlowException(ErrorCode.NO_SUCH_OBJECT, "there is no object " + key);
  }

  private void take(StoreKey key, String workerId, Upload upload) throws IOException {
    fence.require(key, workerId);
    try {
      // The key of the caller, and the hold, may have ended during a slow upload.
      store.put(
          key,
          upload.allowedBy(fence.sealRule(key), key),
          () -> {
            calls.requireLiveKey();
            fence.require(key, workerId);
          });
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Without an envelope; headers keep browsers from displaying the object. */
  @Takes(summary = "Streams an object")
  @Needs(Verb.STORE_GET)
  @GetMapping
  void get(
      @PathVariable String taskId,
      @PathVariable String stage,
      @PathVariable String epoch,
      @PathVariable String name,
      @Parameter(hidden = true) HttpServletRequest request,
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpServletResponse response)
      throws IOException {
    List<FieldError> errors = new ArrayList<>();
    StoreKey key = key(taskId, stage, epoch, name, errors);
    refuseIfBad(errors);
    if (caller.isScoped() && taskOf(key).filter(id -> tasks.reaches(id, caller)).isEmpty()) {
      throw missing(key);
    }
    Exchange.of(request).take(transfers, 1);
    send(key, response);
  }

  private void send(StoreKey key, HttpServletResponse response) throws IOException {
    try (StoredObject object = open(key)) {
      boolean isSmall = object.length() <= SMALL_BYTES;
      InputStream content = isSmall ? readFully(object) : object.content();
      response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
      response.setContentLengthLong(object.length());
      response.setHeader(BareAnswer.BYTES, String.valueOf(object.length()));
      response.setHeader(HttpHeaders.CONTENT_DISPOSITION, "attachment");
      if (!isSmall) {
        // If the stream breaks, the client must not wait for the rest.
        response.setHeader(HttpHeaders.CONNECTION, "close");
      }
      content.transferTo(response.getOutputStream());
    }
  }

  private StoredObject open(StoreKey key) {
    try {
      return store.open(key).orElseThrow(() -> missing(key));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private static InputStream readFully(StoredObject small) {
    try {
      return new ByteArrayInputStream(small.content().readAllBytes());
    } catch (IOException e) {
      throw failed(e);
    }
  }

  static FlowException failed(IOException cause) {
    log.warn("the context store failed; the client may repeat the request: {}", cause.toString());
    return new FlowException(
        ErrorCode.UNAVAILABLE, "the context store does not answer", List.of(), cause);
  }

  private static StoreKey key(
      String taskId, String stage, String epoch, String name, List<FieldError> errors) {
    return StoreKey.parse(taskId + "/" + stage + "/" + epoch + "/" + name)
        .orElseGet(
            () -> {
              errors.add(new FieldError("key", "must be {taskId}/{stage}/{epoch}/{name}"));
              return null;
            });
  }

  private static byte[] sha256(String digest, List<FieldError> errors) {
    if (digest == null) {
      return null;
    }
    Matcher matcher = SHA_256.matcher(digest);
    if (!matcher.find()) {
      errors.add(new FieldError(DIGEST, "must be like sha-256=:…:, in Base64"));
      return null;
    }
    return Base64.getDecoder().decode(matcher.group(1));
  }

  private static void refuseIfBad(List<FieldError> errors) {
    if (!errors.isEmpty()) {
      FieldError first = errors.get(0);
      throw new FlowException(
          ErrorCode.INVALID_INPUT, first.field() + " " + first.message(), errors, null);
    }
  }

  /**
   * Reads on, because most clients send the whole body before they read an answer, as long as it
   * comes fast enough. An upload without a length may be endless: of these, and of bodies larger
   * than any object, only a bounded part is read before the connection is closed.
   */
  private void readOn(InputStream body, long length) {
    if (length >= 0 && length <= maxBytes) {
      discard(body);
    }
  }

  private static void discard(InputStream body) {
    byte[] buffer = new byte[SMALL_BYTES];
    try {
      while (body.read(buffer) >= 0) {
        // The content of a refused upload is ignored.
      }
    } catch (IOException | FlowException e) {
      log.debug("a refused upload broke off or was too slow", e);
    }
  }
}
