package io.asyncflow.console.page.task;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.Task;
import io.asyncflow.console.OperatorClient;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.page.Form;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * Sends what runs have stored, documents of tasks, and inputs of jobs. It was written by strangers:
 * so it is a download of no known type, in a sandbox without scripts should a browser show it all
 * the same. Only what begins as audio does is played on a page.
 */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/file")
public class FileController {

  private static final String SANDBOX = "sandbox; default-src 'none'";

  private final OperatorClient api;
  private final Calls calls;

  public FileController(OperatorClient api) {
    this.api = api;
    this.calls = new Calls(api);
  }

  /**
   * @param key of the object, in the query because the firewall refuses escaped paths
   */
  @GetMapping
  public void download(Frame frame, @RequestParam String key, HttpServletResponse response)
      throws IOException {
    StoreKey parsed = parse(key);
    api.read(
        parsed,
        length -> {
          begin(response, length, "application/octet-stream");
          response.setHeader(
              HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + parsed.name() + "\"");
          return response.getOutputStream();
        });
  }

  /**
   * A whole document of a task, of which its page shows a beginning or a tree.
   *
   * @param of {@code context}, {@code result} or {@code log}
   */
  @GetMapping("/document")
  public void document(
      Frame frame, @RequestParam String task, @RequestParam String of, HttpServletResponse response)
      throws IOException {
    Task read = calls.get(Task.class, "taskData", "/api/task/getTask", Map.of("taskId", task));
    String document =
        switch (of) {
          case "context" -> read.taskContext();
          case "result" -> read.result();
          case "log" -> read.scheduleLog();
          default -> throw Form.noPage();
        };
    if (document == null || !frame.may("CONTEXT_READ")) {
      throw Form.noPage();
    }
    byte[] bytes = document.getBytes(StandardCharsets.UTF_8);
    begin(response, bytes.length, "application/octet-stream");
    response.setHeader(
        HttpHeaders.CONTENT_DISPOSITION,
        "attachment; filename=\"" + read.taskId() + "-" + of + ".json\"");
    response.getOutputStream().write(bytes);
  }

  /** What a job was given to split, whole. */
  @GetMapping("/input")
  public void input(Frame frame, @RequestParam String job, HttpServletResponse response)
      throws IOException {
    String id = job.replaceAll("[^0-9]", "");
    api.readInput(
        job,
        length -> {
          begin(response, length, "application/octet-stream");
          response.setHeader(
              HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + id + "-input.txt\"");
          return response.getOutputStream();
        });
  }

  @GetMapping("/play")
  public void play(Frame frame, @RequestParam String key, HttpServletResponse response)
      throws IOException {
    api.read(parse(key), length -> new Audio(response, length));
  }

  private static StoreKey parse(String key) {
    return StoreKey.parse(key).orElseThrow(Form::noPage);
  }

  private static void begin(HttpServletResponse response, long length, String type) {
    response.setContentType(type);
    response.setContentLengthLong(length);
    response.setHeader("Content-Security-Policy", SANDBOX);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
  }

  /** Begins the answer once the first bytes have said that they are audio. */
  private static final class Audio extends OutputStream {

    private final ByteArrayOutputStream first = new ByteArrayOutputStream();
    private final HttpServletResponse response;
    private final long length;
    private OutputStream out;

    Audio(HttpServletResponse response, long length) {
      if (length < AudioSignature.LENGTH) {
        throw noAudio();
      }
      this.response = response;
      this.length = length;
    }

    private static FlowException noAudio() {
      return new FlowException(
          ErrorCode.NO_SUCH_OBJECT, "the object does not begin as audio: download it");
    }

    @Override
    public void write(int single) throws IOException {
      write(new byte[] {(byte) single}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      if (out != null) {
        out.write(bytes, from, count);
        return;
      }
      first.write(bytes, from, count);
      if (first.size() >= AudioSignature.LENGTH) {
        begin(
            response,
            length,
            AudioSignature.typeOf(first.toByteArray()).orElseThrow(Audio::noAudio));
        out = response.getOutputStream();
        first.writeTo(out);
      }
    }
  }
}
