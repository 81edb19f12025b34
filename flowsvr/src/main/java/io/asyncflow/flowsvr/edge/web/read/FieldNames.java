package io.asyncflow.flowsvr.edge.web.read;

/** Converts between {@code user_id} and {@code userId}. */
public final class FieldNames {

  private FieldNames() {}

  public static String toCamelCase(String name) {
    if (name.indexOf('_') < 0) {
      return name;
    }
    StringBuilder camel = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean joint = c == '_' && i > 0 && i + 1 < name.length() && isLower(name.charAt(i + 1));
      if (joint) {
        camel.append((char) (name.charAt(++i) - 'a' + 'A'));
      } else {
        camel.append(c);
      }
    }
    return camel.toString();
  }

  public static String toSnakeCase(String name) {
    StringBuilder snake = new StringBuilder(name.length() + 4);
    for (char c : name.toCharArray()) {
      if (c >= 'A' && c <= 'Z') {
        snake.append('_').append((char) (c - 'A' + 'a'));
      } else {
        snake.append(c);
      }
    }
    return snake.toString();
  }

  private static boolean isLower(char c) {
    return c >= 'a' && c <= 'z';
  }
}
