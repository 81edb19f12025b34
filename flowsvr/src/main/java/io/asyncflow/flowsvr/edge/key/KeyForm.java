package io.asyncflow.flowsvr.edge.key;

import io.asyncflow.api.key.NewKey;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.key.KeyGrant;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.AccessKeyRow.Limits;
import io.asyncflow.rules.access.CertificateName;
import io.asyncflow.rules.field.FieldSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Reads a key that is to be made.
 *
 * @param expireDays {@code null} if the caller gives none
 * @param certSan {@code null} for none
 * @param notBefore epoch ms; 0 for at once
 */
record KeyForm(String name, KeyGrant grant, Integer expireDays, String certSan, long notBefore) {

  static final int LONGEST_DAYS = 730;

  /** A misspelled restriction would make a key for everything. */
  private static final Set<String> FIELDS = FieldSource.namesOf(NewKey.class);

  private static final int HIGHEST_RATE = 1_000_000;
  private static final int NAME = 128;
  private static final int WORKER_ID = 64;
  private static final int NAMES = 100;
  private static final int ROLE_NAME = 32;
  private static final int TYPE_NAME = 32;
  private static final int STAGE_NAME = 64;
  private static final int USER_NAME = 128;
  private static final int COLUMN = 4_000;
  private static final String STAR = "*";

  /** Reads the key; it is valid only if {@code in} has no invalid field afterwards. */
  static KeyForm read(Fields in) {
    in.refuseUnknown(FIELDS);
    KeyGrant grant =
        new KeyGrant(
            roles(in),
            types(in),
            stages(in),
            users(in),
            in.text("workerPrefix").name().max(WORKER_ID).or(""),
            in.number("rateLimit").between(0, HIGHEST_RATE).or(0));
    refuseIfLong(in, "stages", grant.rights().stages());
    refuseIfLong(in, "users", grant.rights().users());
    Long notBefore = in.number("notBefore").epochMs().asLong();
    return new KeyForm(
        in.text("name").required().name().max(NAME).value(),
        grant,
        in.number("expireDays").between(1, LONGEST_DAYS).asInteger(),
        in.text("certSan")
            .as(
                CertificateName::parse,
                "must be a URI such as spiffe://acme/gpu, or a DNS name without a star"),
        notBefore == null ? 0 : notBefore);
  }

  private static Set<Role> roles(Fields in) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    Set<String> names = in.names("roles").max(NAMES, ROLE_NAME).notEmpty().values();
    if (!in.has("roles")) {
      in.refuse("roles", "is required");
    }
    for (String name : names) {
      Role.parse(name)
          .ifPresentOrElse(
              roles::add,
              () -> in.refuse("roles", "must name only " + Arrays.toString(Role.values())));
    }
    return roles;
  }

  private static List<String> types(Fields in) {
    List<String> types = names(in, "types", TYPE_NAME, pattern -> pattern.toLowerCase(Locale.ROOT));
    if (!types.stream().allMatch(KeyForm::isTypePattern)) {
      in.refuse("types", "must name only task types, and beginnings of types with a star");
    }
    return types;
  }

  private static boolean isTypePattern(String pattern) {
    boolean isBeginning = pattern.endsWith(STAR);
    return isBeginning
        ? pattern.equals(STAR) || pattern.matches("[a-z][a-z0-9_]{0,30}\\*")
        : TaskType.parse(pattern).isPresent();
  }

  /** A star within a name would stand for nothing, and look as if it did. */
  private static List<String> users(Fields in) {
    List<String> users = names(in, "users", USER_NAME, UnaryOperator.identity());
    if (users.stream().anyMatch(KeyForm::hasStarWithin)) {
      in.refuse("users", "must name only users, and beginnings of users with a star at the end");
    }
    return users;
  }

  private static boolean hasStarWithin(String name) {
    int star = name.indexOf(STAR);
    return star >= 0 && star < name.length() - 1;
  }

  /** Without beginnings: a hold lists its stages. */
  private static List<String> stages(Fields in) {
    List<String> stages = names(in, "stages", STAGE_NAME, UnaryOperator.identity());
    if (!stages.equals(List.of(STAR)) && stages.stream().anyMatch(name -> name.contains(STAR))) {
      in.refuse("stages", "must name stages in full, or be * for all");
      return List.of(STAR);
    }
    return stages;
  }

  /** The patterns; a star among them stands for all of them. */
  private static List<String> names(
      Fields in, String field, int length, UnaryOperator<String> spelling) {
    Set<String> names = new TreeSet<>();
    in.names(field).max(NAMES, length).notEmpty().values().stream()
        .map(spelling)
        .forEach(names::add);
    return names.isEmpty() || names.contains(STAR) ? List.of(STAR) : List.copyOf(names);
  }

  private static void refuseIfLong(Fields in, String field, String column) {
    if (column.length() > COLUMN) {
      in.refuse(field, "must be at most " + COLUMN + " characters long in all, as a JSON list");
    }
  }

  /** The row of the key, but for what only the store knows. */
  AccessKeyRow row(AccessKey key, String createdBy, long createTime, Duration life) {
    long begin = Math.max(createTime, notBefore);
    return AccessKeyRow.of(
            key, name, grant.rights(), createdBy, createTime, begin + life.toMillis())
        .limited(new Limits(certSan, grant.rateLimit(), begin > createTime ? begin : 0));
  }
}
