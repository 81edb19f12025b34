package io.asyncflow.console.frame;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import io.asyncflow.console.text.VisibleOutput;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.DigestUtils;

/** Renders pages. Thread-safe. */
public class Pages {

  private static final CacheControl KEPT = CacheControl.noCache().cachePrivate();
  private static final MediaType HTML = new MediaType("text", "html", StandardCharsets.UTF_8);

  private final TemplateEngine templates =
      TemplateEngine.createPrecompiled(null, ContentType.Html, null, "io.asyncflow.console.jte");

  /**
   * A page.
   *
   * @param template its name in {@code src/main/jte/page}
   * @param view what the template calls {@code v}
   */
  public ResponseEntity<byte[]> show(Frame frame, String template, Object view) {
    String html = render(frame, template, view);
    byte[] body = html.getBytes(StandardCharsets.UTF_8);
    // Of all of it: what a browser keeps must have the token of the session that it is in.
    return ResponseEntity.ok()
        .contentType(HTML)
        .cacheControl(KEPT)
        .eTag(DigestUtils.md5DigestAsHex(body))
        .body(body);
  }

  /** A page that answers a form, or says what could not be done. */
  public ResponseEntity<byte[]> show(Frame frame, String template, Object view, int status) {
    return ResponseEntity.status(status)
        .contentType(HTML)
        .cacheControl(CacheControl.noStore())
        .body(render(frame, template, view).getBytes(StandardCharsets.UTF_8));
  }

  String render(Frame frame, String template, Object view) {
    StringOutput output = new StringOutput();
    templates.render(
        "page/" + template + ".jte", Map.of("f", frame, "v", view), new VisibleOutput(output));
    return output.toString().stripLeading();
  }

  /**
   * The answer to a form, after which a reload repeats nothing.
   *
   * @param address as {@link Urls#to} makes it
   */
  public static ResponseEntity<byte[]> goTo(String address) {
    return ResponseEntity.status(HttpStatus.SEE_OTHER).location(URI.create(address)).build();
  }
}
