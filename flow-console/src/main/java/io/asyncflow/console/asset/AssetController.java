package io.asyncflow.console.asset;

import io.asyncflow.console.OpenToAll;
import java.time.Duration;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;

/** Sends the static files. */
@Controller
public class AssetController {

  private static final Duration LONG = Duration.ofDays(365);

  private final Assets assets;

  public AssetController(Assets assets) {
    this.assets = assets;
  }

  /** With the hash of another version, which a server of that version put into a page, for now. */
  @OpenToAll
  @GetMapping("${asyncflow.console.path:/console}/static/{hash}/{name}")
  public ResponseEntity<byte[]> send(
      @PathVariable String hash,
      @PathVariable String name,
      @RequestHeader(name = HttpHeaders.ACCEPT_ENCODING, defaultValue = "") String encodings) {
    Assets.Asset file = assets.find(name).orElse(null);
    if (file == null) {
      return ResponseEntity.notFound().build();
    }
    boolean isZipped = encodings.contains("gzip");
    ResponseEntity.BodyBuilder answer =
        ResponseEntity.ok()
            .header(HttpHeaders.CONTENT_TYPE, file.type())
            .header(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING)
            .cacheControl(
                hash.equals(assets.hash())
                    ? CacheControl.maxAge(LONG).cachePublic().immutable()
                    : CacheControl.noStore());
    if (isZipped) {
      answer.header(HttpHeaders.CONTENT_ENCODING, "gzip");
    }
    return answer.body(isZipped ? file.compressed() : file.content());
  }
}
