package io.asyncflow.flowsvr.edge.key;

import io.asyncflow.api.key.DeniedPage;
import io.asyncflow.api.key.IssuedKey;
import io.asyncflow.api.key.KeyPage;
import io.asyncflow.api.key.KeyState;
import io.asyncflow.api.key.Me;
import io.asyncflow.api.key.NewKey;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.access.key.KeyGrant;
import io.asyncflow.flowsvr.edge.access.session.OpenSession;
import io.asyncflow.flowsvr.edge.key.KeyViews.Place;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.rules.field.PageFields;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Makes and ends access keys. No change is made by a GET, and no key is in a query. */
@RestController
@RequestMapping("/api/key")
class KeyController {

  private static final int CURSOR = 40;
  private static final int REASON = 1_000;
  private static final int PRINCIPAL = 160;
  private static final int ONE_DAY = 86_400;

  /**
   * Of the caller's own key: if the answer is lost, nobody knows the successor, and the caller
   * needs the time to revoke it and to make another key.
   */
  private static final int SHORTEST_OWN_OVERLAP = 60;

  private static final int THIRTY_DAYS = 30 * ONE_DAY;
  private static final String OIDC_PRINCIPAL = "oidc:[\\x21-\\x7e]+#[\\x21-\\x7e]+";

  private final KeyActs acts;
  private final KeyViews views;
  private final String issuer;

  KeyController(KeyActs acts, KeyViews views, @Value("${flow.oidc.issuer:}") String issuer) {
    this.acts = acts;
    this.views = views;
    this.issuer = issuer.strip();
  }

  record ListKeys(String state, Integer limit, String cursor) {}

  record RotateKey(String keyId, Integer overlapSeconds) {}

  record RevokeKey(String keyId, String reason) {}

  record DenyCaller(String principal, Integer seconds, String reason) {}

  record ListDenied(Integer limit, String cursor) {}

  @Needs(Verb.KEY_MANAGE)
  @Takes(summary = "Makes an access key", shape = NewKey.class)
  @PostMapping("/create")
  Envelope<IssuedKey> create(Fields in, Caller caller) {
    KeyForm form = KeyForm.read(in);
    in.refuseIfBad();
    return Envelope.ok(acts.create(form, caller));
  }

  @Needs(Verb.KEY_MANAGE)
  @Takes(summary = "Lists access keys, newest first", shape = ListKeys.class, list = true)
  @GetOrPost("/list")
  Envelope<KeyPage> list(Fields in, Caller caller) {
    KeyState state =
        in.text("state")
            .as(KeyController::state, "must be one of " + Arrays.toString(KeyState.values()));
    int limit = PageFields.limit(in);
    Place after =
        in.text("cursor").max(CURSOR).as(KeyController::place, "is not a cursor of this list");
    in.refuseIfBad();
    return Envelope.ok(views.page(state, limit, after, caller));
  }

  @Needs(Verb.KEY_MANAGE)
  @Takes(summary = "Makes a key with the rights of another one", shape = RotateKey.class)
  @PostMapping("/rotate")
  Envelope<IssuedKey> rotate(Fields in, Caller caller) {
    String keyId = keyId(in);
    boolean isOwn = caller.principal().equals(KeyGrant.principal(keyId));
    int overlap =
        in.number("overlapSeconds")
            .between(isOwn ? SHORTEST_OWN_OVERLAP : 0, THIRTY_DAYS)
            .or(ONE_DAY);
    in.refuseIfBad();
    return Envelope.ok(acts.rotate(keyId, Duration.ofSeconds(overlap), caller));
  }

  @Needs(Verb.KEY_MANAGE)
  @Takes(summary = "Ends an access key", shape = RevokeKey.class)
  @PostMapping("/revoke")
  Envelope<Void> revoke(Fields in, Caller caller) {
    String keyId = keyId(in);
    String reason = in.text("reason").max(REASON).or("");
    in.refuseIfBad();
    acts.revoke(keyId, reason, caller);
    return Envelope.done();
  }

  @Needs(Verb.KEY_MANAGE)
  @Takes(summary = "Refuses a caller with tokens of the issuer", shape = DenyCaller.class)
  @PostMapping("/deny")
  Envelope<Void> deny(Fields in, Caller caller) {
    String principal =
        in.text("principal")
            .required()
            .as(
                this::principal,
                "is neither a subject of the issuer nor the principal of a caller with a token,"
                    + " oidc:{iss}#{sub}");
    int seconds = in.number("seconds").between(0, THIRTY_DAYS).or(ONE_DAY);
    String reason = in.text("reason").max(REASON).or("");
    in.refuseIfBad();
    caller.requireAll();
    if (seconds == 0) {
      acts.allow(principal, reason);
    } else {
      acts.deny(principal, Duration.ofSeconds(seconds), reason);
    }
    return Envelope.done();
  }

  @Needs(Verb.KEY_MANAGE)
  @Takes(summary = "Lists the callers that are denied", shape = ListDenied.class, list = true)
  @GetOrPost("/denied")
  Envelope<DeniedPage> denied(Fields in, Caller caller) {
    int limit = PageFields.limit(in);
    String after =
        in.text("cursor")
            .as(
                text -> text.matches(OIDC_PRINCIPAL) ? Optional.of(text) : Optional.empty(),
                "is not a cursor of this list");
    in.refuseIfBad();
    caller.requireAll();
    return Envelope.ok(views.denied(limit, after == null ? "" : after));
  }

  @Needs({})
  @Takes(summary = "Says whom the server takes the caller for")
  @GetOrPost("/me")
  Envelope<Me> me(Fields in, Caller caller, HttpServletRequest request) {
    in.refuseIfBad();
    return Envelope.ok(views.me(caller, OpenSession.of(request)));
  }

  /**
   * A subject alone is one of the issuer that this server knows. Other callers have no subject:
   * their keys are revoked.
   */
  private Optional<String> principal(String text) {
    if (text.startsWith("key:") || text.startsWith("env:") || text.equals("local")) {
      return Optional.empty();
    }
    boolean isSubject = !issuer.isEmpty() && !text.startsWith("oidc:");
    String principal = isSubject ? Caller.ofIssuer(issuer) + text : text;
    return principal.length() <= PRINCIPAL && principal.matches(OIDC_PRINCIPAL)
        ? Optional.of(principal)
        : Optional.empty();
  }

  private static String keyId(Fields in) {
    return in.text("keyId")
        .required()
        .as(
            text -> text.matches("[0-9A-Za-z]{10}") ? Optional.of(text) : Optional.empty(),
            "is not the id of an access key");
  }

  private static Optional<KeyState> state(String text) {
    return Arrays.stream(KeyState.values())
        .filter(state -> state.name().equals(text.toUpperCase(Locale.ROOT)))
        .findFirst();
  }

  private static Optional<Place> place(String text) {
    return text.matches("[0-9]{1,18}-[0-9A-Za-z]{10}")
        ? Optional.of(
            new Place(
                Long.parseLong(text.substring(0, text.indexOf('-'))),
                text.substring(text.indexOf('-') + 1)))
        : Optional.empty();
  }
}
