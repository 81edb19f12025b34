package io.asyncflow.console.frame;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import io.asyncflow.console.Done;
import io.asyncflow.console.text.VisibleOutput;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.DigestUtils;

/** Renders pages. Thread-safe. */
public class Pages {

  private static final CacheControl KEPT = CacheControl.noCache().cachePrivate();
  private static final MediaType HTML = new MediaType("text", "html", StandardCharsets.UTF_8);

  private static final int MOST_FOLLOWED = 200;

  /** What a page looked like the last time. */
  private record Look(Object view, String eTag) {}

  private record Followed(Frame frame, String template) {}

  private final Map<Followed, Look> looks =
      Collections.synchronizedMap(
          new LinkedHashMap<>(MOST_FOLLOWED, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Followed, Look> eldest) {
              return size() > MOST_FOLLOWED;
            }
          });

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

  /**
   * A page that asks for news all the time. If the browser has what the same view looked like, it
   * is not rendered.
   *
   * @param view views that are equal look the same, whatever time it is
   * @param seen the {@code If-None-Match} of the request; {@code null} if there is none
   */
  public ResponseEntity<byte[]> follow(Frame frame, String template, Object view, String seen) {
    Followed page = new Followed(frame, template);
    Look last = looks.get(page);
    if (last != null && last.eTag().equals(seen) && last.view().equals(view)) {
      return ResponseEntity.status(HttpStatus.NOT_MODIFIED)
          .cacheControl(KEPT)
          .eTag(last.eTag())
          .build();
    }
    ResponseEntity<byte[]> whole = show(frame, template, view);
    looks.put(page, new Look(view, whole.getHeaders().getETag()));
    return whole;
  }

  /** A form once more, with the reason for which it was refused. */
  public ResponseEntity<byte[]> showRefusal(Frame frame, String template, Object view) {
    return show(frame, template, view, HttpStatus.UNAUTHORIZED.value());
  }

  /** What a form has asked for, which a reload asks for again. */
  public ResponseEntity<byte[]> showAnswer(Frame frame, String template, Object view) {
    return show(frame, template, view, HttpStatus.OK.value());
  }

  /** A page that answers what could not be done. */
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

  /**
   * The answer to a form that did something: the next page says so, and shows what it changed.
   *
   * @param act the key of the act
   * @param address as {@link Urls#to} makes it
   */
  public static ResponseEntity<byte[]> done(Frame frame, String act, String address) {
    return ResponseEntity.status(HttpStatus.SEE_OTHER)
        .location(URI.create(address))
        .header(HttpHeaders.SET_COOKIE, Done.cookie(frame.urls().base(), act))
        .build();
  }
}
