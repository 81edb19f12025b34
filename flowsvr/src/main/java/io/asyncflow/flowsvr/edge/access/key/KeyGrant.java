package io.asyncflow.flowsvr.edge.access.key;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.asyncflow.flowsvr.base.system.concurrent.RequestRate;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.AccessKeyRow.Rights;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a key grants: as lists of names and beginnings, which people give and read, and as the
 * caller that they make. Immutable.
 *
 * @param types {@code *} alone for all, as with the other lists
 * @param workerPrefix empty for any
 * @param rateLimit requests a second and server; 0 for no limit
 */
public record KeyGrant(
    Set<Role> roles,
    List<String> types,
    List<String> stages,
    List<String> users,
    String workerPrefix,
    int rateLimit) {

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .build();
  private static final String COMMA = ",";

  /** How the principals of keys begin. */
  private static final String KEY = "key:";

  /**
   * Reads the columns of a row; empty if they cannot be read, as SQL may have written anything.
   * Roles that a newer version has added grant nothing here.
   */
  public static Optional<KeyGrant> read(AccessKeyRow row) {
    try {
      KeyGrant grant = of(row);
      grant.scope(); // whose parts must fit together
      return Optional.of(grant);
    } catch (JacksonException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static KeyGrant of(AccessKeyRow row) {
    Rights rights = row.rights();
    Set<Role> roles = EnumSet.noneOf(Role.class);
    Set<String> names = Set.of(rights.roles().split(COMMA));
    Stream.of(Role.values()).filter(role -> names.contains(role.name())).forEach(roles::add);
    return new KeyGrant(
        roles,
        List.of(rights.types().split(COMMA)),
        list(rights.stages()),
        list(rights.users()),
        rights.workerPrefix(),
        row.limits().rate());
  }

  private static List<String> list(String column) {
    if (column.equals(AccessKeyRow.ALL)) {
      return List.of(AccessKeyRow.ALL);
    }
    String[] names = JSON.readValue(column, String[].class);
    if (names == null || Arrays.asList(names).contains(null)) {
      throw new IllegalArgumentException("no list of names");
    }
    return List.of(names);
  }

  /** What a caller has. */
  public static KeyGrant of(Caller caller) {
    Scope scope = caller.scope();
    return new KeyGrant(
        caller.roles(),
        scope.types().patterns(),
        scope.stages().patterns(),
        scope.users().patterns(),
        scope.workerPrefix(),
        0);
  }

  /**
   * Reads what {@link #json()} wrote.
   *
   * @throws tools.jackson.core.JacksonException if it cannot be read
   */
  public static KeyGrant ofJson(String text) {
    return JSON.readValue(text, KeyGrant.class);
  }

  /** All of it as one text. */
  public String json() {
    return JSON.writeValueAsString(this);
  }

  /** The principal of a key. */
  public static String principal(String keyId) {
    return KEY + keyId;
  }

  /** Whether a principal is that of a key. */
  public static boolean isOfKey(String principal) {
    return principal.startsWith(KEY);
  }

  /** The key of a principal that {@link #principal} made. */
  public static String keyIdOf(String principal) {
    return principal.substring(KEY.length());
  }

  public Scope scope() {
    return new Scope(Names.of(types), Names.of(stages), Names.of(users), workerPrefix);
  }

  Caller caller(String keyId, RequestRate rate) {
    return new Caller(Caller.Kind.KEY, principal(keyId), roles, scope(), rate);
  }

  /** Whether a caller has all of this, so that it may give it away. */
  public boolean isOf(Caller caller) {
    return roles.stream().allMatch(role -> caller.verbs().containsAll(role.verbs()))
        && caller.scope().covers(scope())
        && isNotFasterThan(caller.rate());
  }

  private boolean isNotFasterThan(RequestRate rate) {
    return rate == null || rateLimit > 0 && rateLimit <= rate.perSecond();
  }

  /** Whether it grants everything. */
  @JsonIgnore
  public boolean isAll() {
    return roles.contains(Role.ADMIN) && scope().isAll();
  }

  /** The columns of it. */
  public Rights rights() {
    return new Rights(
        roles.stream().map(Role::name).collect(Collectors.joining(COMMA)),
        String.join(COMMA, types),
        column(stages),
        column(users),
        workerPrefix);
  }

  private static String column(List<String> names) {
    return names.equals(List.of(AccessKeyRow.ALL))
        ? AccessKeyRow.ALL
        : JSON.writeValueAsString(names);
  }
}
