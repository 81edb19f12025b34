package io.asyncflow.systemtest.readme;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles classes that a document shows. */
final class JavaCode {

  private static final Pattern CLASS = Pattern.compile("(?m)^(?:public )?class (\\w+)");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

  private JavaCode() {}

  /**
   * Compiles source files, one class each.
   *
   * @param directory gets the sources and the classes
   * @throws AssertionError with what the compiler says, warnings included
   */
  static void compile(Path directory, String classPath, List<String> sources) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<Path> written = new ArrayList<>();
      for (String source : sources) {
        Path file = directory.resolve(nameOf(source) + ".java");
        written.add(Files.writeString(Files.createDirectories(directory).resolve(file), source));
      }
      boolean compiled =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of(
                      "-d", directory.toString(), "-cp", classPath, "-parameters", "-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(written))
              .call();
      if (!compiled) {
        throw new AssertionError(messages);
      }
    }
  }

  /** The name of the class, without its package. */
  static String nameOf(String source) {
    Matcher found = CLASS.matcher(source);
    if (!found.find()) {
      throw new AssertionError("no class in\n" + source);
    }
    return found.group(1);
  }

  static boolean isProgram(String source) {
    return source.contains("public static void main(");
  }

  /** The name of the class with its package, if it has one. */
  static String fullNameOf(String source) {
    Matcher found = PACKAGE.matcher(source);
    return (found.find() ? found.group(1) + "." : "") + nameOf(source);
  }
}
