package io.asyncflow.console.frame;

import io.asyncflow.api.key.Me;
import java.util.Set;

/**
 * Whom the server takes the operator for, from {@code /api/key/me}.
 *
 * @param principal such as {@code key:3Qm81LtzGh}
 * @param kind how the operator proved itself, such as {@code LOCAL} or {@code SESSION}
 * @param csrfToken what the forms of a session send along; {@code null} without a session
 */
public record Operator(
    String principal, String kind, Set<String> roles, Set<String> verbs, String csrfToken) {

  /** Nobody: of pages that are shown before a caller is known. */
  static final Operator NOBODY = new Operator("", "", Set.of(), Set.of(), null);

  static Operator of(Me me) {
    return new Operator(me.principal(), me.kind(), me.roles(), me.verbs(), me.csrfToken());
  }

  /** The same, in whatever session. */
  public Operator withoutSession() {
    return new Operator(principal, kind, roles, verbs, null);
  }

  public boolean isKnown() {
    return !principal.isEmpty();
  }

  /** Whether it is a session, which can be ended. */
  public boolean isInSession() {
    return csrfToken != null;
  }

  public boolean may(String verb) {
    return verbs.contains(verb);
  }

  /** The role that says most. */
  public String role() {
    for (String role : new String[] {"ADMIN", "OPERATOR", "SUBMITTER", "WORKER", "READER"}) {
      if (roles.contains(role)) {
        return role;
      }
    }
    return "";
  }
}
