package io.asyncflow.flowsvr.edge.access.token;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.security.oauth2.jwt.Jwt;

/** Makes the caller of a verified token from its claims. */
final class TokenGrant {

  /** As OpenID Connect has it: ASCII, and here without what would confuse a log. */
  private static final Pattern SUBJECT = Pattern.compile("[\\x21-\\x7e]+");

  private static final int LONGEST_PRINCIPAL = 160;

  private final OidcProperties oidc;

  TokenGrant(OidcProperties oidc) {
    this.oidc = oidc;
  }

  /**
   * @throws FlowException if the subject cannot be the name of a caller
   */
  Caller callerOf(Jwt token) {
    return new Caller(
        Caller.Kind.OIDC,
        principal(token.getSubject()),
        roles(token),
        new Scope(
            names(token, oidc.typesClaim(), true),
            Names.ALL,
            names(token, oidc.usersClaim(), false),
            ""));
  }

  private String principal(String subject) {
    String principal = Caller.ofIssuer(oidc.issuer()) + subject;
    if (subject == null
        || !SUBJECT.matcher(subject).matches()
        || principal.length() > LONGEST_PRINCIPAL) {
      throw new FlowException(
          ErrorCode.NOT_AUTHENTICATED,
          "the token is refused: its sub must be of visible ASCII characters, and with iss at most "
              + LONGEST_PRINCIPAL
              + " long");
    }
    return principal;
  }

  /** Unknown roles grant nothing. */
  private Set<Role> roles(Jwt token) {
    return list(token.getClaims().get(oidc.rolesClaim())).stream()
        .flatMap(name -> Role.parse(name).stream())
        .collect(Collectors.toSet());
  }

  /** A token without the claim that would list the names has none of them. */
  private static Names names(Jwt token, String claim, boolean areLowerCase) {
    return claim.isEmpty()
        ? Names.ALL
        : Names.of(
            list(token.getClaims().get(claim)).stream()
                .map(name -> areLowerCase ? name.toLowerCase(Locale.ROOT) : name)
                .toList());
  }

  /** A list, or one text with spaces, as {@code scope} is. */
  private static List<String> list(Object claim) {
    if (claim instanceof Collection<?> many) {
      return many.stream().filter(String.class::isInstance).map(String.class::cast).toList();
    }
    return claim instanceof String text && !text.isBlank()
        ? List.of(text.strip().split(" +"))
        : List.of();
  }
}
