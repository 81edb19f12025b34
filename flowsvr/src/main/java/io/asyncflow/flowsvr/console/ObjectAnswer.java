package io.asyncflow.flowsvr.console;

import io.asyncflow.console.OperatorClient.Receiver;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStream;
import org.springframework.http.HttpHeaders;

/** Takes the bytes that a call answers to HTTP; the page decides the headers. */
final class ObjectAnswer extends HttpServletResponseWrapper {

  private final Receiver receiver;
  private long length;

  ObjectAnswer(HttpServletResponse response, Receiver receiver) {
    super(response);
    this.receiver = receiver;
  }

  @Override
  public void setContentType(String type) {
    // the page's
  }

  @Override
  public void setHeader(String name, String value) {
    if (name.equals(HttpHeaders.CONNECTION)) { // how the object is sent, and not what it is
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

  @Override
  public ServletOutputStream getOutputStream() throws IOException {
    OutputStream out = receiver.begin(length);
    return new ServletOutputStream() {

      @Override
      public void write(int single) throws IOException {
        out.write(single);
      }

      @Override
      public void write(byte[] bytes, int from, int count) throws IOException {
        out.write(bytes, from, count);
      }

      @Override
      public boolean isReady() {
        return true;
      }

      @Override
      public void setWriteListener(WriteListener listener) {
        throw new IllegalStateException("the call is synchronous");
      }
    };
  }
}
