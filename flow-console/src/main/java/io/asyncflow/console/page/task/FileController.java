package io.asyncflow.console.page.task;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.Task;
import io.asyncflow.console.frame.Form;
import io.asyncflow.console.frame.Visit;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
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

  /**
   * @param key of the object, in the query because the firewall refuses escaped paths
   */
  @GetMapping
  public void download(Visit visit, @RequestParam String key, HttpServletResponse response)
      throws IOException {
    StoreKey parsed = parse(key);
    visit.api().read(parsed, new Download(response, parsed.name()));
  }

  /**
   * A whole document of a task, of which its page shows a beginning or a tree.
   *
   * @param of {@code context}, {@code result} or {@code log}
   */
  @GetMapping("/document")
  public void document(
      Visit visit, @RequestParam String task, @RequestParam String of, HttpServletResponse response)
      throws IOException {
    Task read = new TaskReading(visit, task).task();
    String document =
        switch (of) {
          case "context" -> read.taskContext();
          case "result" -> read.result();
          case "log" -> read.scheduleLog();
          default -> throw Form.noPage();
        };
    if (document == null || !visit.may("CONTEXT_READ")) {
      throw Form.noPage();
    }
    byte[] bytes = document.getBytes(StandardCharsets.UTF_8);
    Download download = new Download(response, read.taskId() + "-" + of + ".json");
    download.setContentLength(bytes.length);
    download.getOutputStream().write(bytes);
  }

  /** What a job was given to split, whole. */
  @GetMapping("/input")
  public void input(Visit visit, @RequestParam String job, HttpServletResponse response)
      throws IOException {
    String name = job.replaceAll("[^0-9]", "") + "-input.txt";
    visit.api().readInput(job, new Download(response, name));
  }

  @GetMapping("/play")
  public void play(Visit visit, @RequestParam String key, HttpServletResponse response)
      throws IOException {
    visit.api().read(parse(key), new Sound(response));
  }

  private static StoreKey parse(String key) {
    return StoreKey.parse(key).orElseThrow(Form::noPage);
  }

  /** Takes what a call answers, and sends it with headers of its own. */
  private abstract static class Answered extends HttpServletResponseWrapper {

    private long length;

    Answered(HttpServletResponse response) {
      super(response);
    }

    @Override
    public void setContentType(String type) {
      // it is not what the call takes it for
    }

    @Override
    public void setHeader(String name, String value) {
      if (name.equals(HttpHeaders.CONNECTION)) { // how it is sent, and not what it is
        super.setHeader(name, value);
      }
    }

    @Override
    public void setContentLength(int bytes) {
      length = bytes;
    }

    @Override
    public void setContentLengthLong(long bytes) {
      length = bytes;
    }

    long length() {
      return length;
    }

    /** Where the bytes go, behind the headers. */
    ServletOutputStream begin(String type) throws IOException {
      getResponse().setContentType(type);
      getResponse().setContentLengthLong(length);
      super.setHeader("Content-Security-Policy", SANDBOX);
      super.setHeader("X-Content-Type-Options", "nosniff");
      super.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
      return super.getOutputStream();
    }
  }

  private static final class Download extends Answered {

    private final String name;

    Download(HttpServletResponse response, String name) {
      super(response);
      this.name = name;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
      ((HttpServletResponse) getResponse())
          .setHeader(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + name + "\"");
      return begin("application/octet-stream");
    }
  }

  private static final class Sound extends Answered {

    Sound(HttpServletResponse response) {
      super(response);
    }

    @Override
    public ServletOutputStream getOutputStream() {
      if (length() < AudioSignature.LENGTH) {
        throw noAudio();
      }
      return new Audio(this);
    }

    static FlowException noAudio() {
      return new FlowException(
          ErrorCode.NO_SUCH_OBJECT, "the object does not begin as audio: download it");
    }
  }

  /** Begins the answer once the first bytes have said that they are audio. */
  private static final class Audio extends ServletOutputStream {

    private final ByteArrayOutputStream first = new ByteArrayOutputStream();
    private final Answered answered;
    private OutputStream out;

    Audio(Answered answered) {
      this.answered = answered;
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
        out =
            answered.begin(AudioSignature.typeOf(first.toByteArray()).orElseThrow(Sound::noAudio));
        first.writeTo(out);
      }
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setWriteListener(WriteListener listener) {
      throw new IllegalStateException("the call is synchronous");
    }
  }
}
