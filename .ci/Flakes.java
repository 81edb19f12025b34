import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Names the tests that passed only when they were run once more, over all modules of a build:
 * {@code java .ci/Flakes.java DIRECTORY SINCE}, where SINCE is when the build began. Says nothing
 * where there are none, and fails neither way.
 *
 * <p>Every module does this after its tests, for no module knows whether another one follows; so
 * the last of them, whichever it is, names all.
 */
final class Flakes {

  private static final int LONGEST_CAUSE = 160;
  private static final String RULE = "=".repeat(100);

  private record Flake(String module, String test, String cause) {}

  public static void main(String[] args) throws IOException {
    List<Flake> flakes = new ArrayList<>();
    for (Path report : reports(Path.of(args[0]), Instant.parse(args[1]))) {
      try (InputStream in = Files.newInputStream(report)) {
        flakes.addAll(read(in, report.getParent().getParent().getParent().getFileName()));
      } catch (XMLStreamException e) {
        flakes.add(new Flake("", report.toString(), "cannot be read: " + e.getMessage()));
      }
    }
    if (!flakes.isEmpty()) {
      tell(flakes, new PrintStream(System.err, true, UTF_8)); // which Maven shows as a warning
    }
  }

  /** Those that this build wrote; others may be left from builds before it. */
  private static List<Path> reports(Path directory, Instant since) throws IOException {
    try (Stream<Path> modules = Files.list(directory)) {
      List<Path> found = new ArrayList<>();
      for (Path module : modules.sorted().toList()) {
        for (String tests : List.of("surefire-reports", "failsafe-reports")) {
          Path reports = module.resolve("target").resolve(tests);
          if (Files.isDirectory(reports)) {
            found.addAll(xmlIn(reports));
          }
        }
      }
      found.removeIf(report -> report.toFile().lastModified() < since.toEpochMilli());
      return found;
    }
  }

  private static List<Path> xmlIn(Path reports) throws IOException {
    try (Stream<Path> files = Files.list(reports)) {
      return files
          .filter(file -> file.getFileName().toString().matches("TEST-.*\\.xml"))
          .sorted()
          .toList();
    }
  }

  private static List<Flake> read(InputStream report, Path module) throws XMLStreamException {
    List<Flake> flakes = new ArrayList<>();
    XMLStreamReader xml = XMLInputFactory.newInstance().createXMLStreamReader(report);
    String test = "";
    while (xml.hasNext()) {
      if (xml.next() != XMLStreamConstants.START_ELEMENT) {
        continue;
      }
      switch (xml.getLocalName()) {
        case "testcase" ->
            test =
                xml.getAttributeValue(null, "classname")
                    + "."
                    + xml.getAttributeValue(null, "name");
        case "flakyFailure", "flakyError" ->
            flakes.add(new Flake(module.toString(), test, cause(xml)));
        default -> {}
      }
    }
    return flakes;
  }

  private static String cause(XMLStreamReader failure) {
    String message = failure.getAttributeValue(null, "message");
    String cause = message == null ? failure.getAttributeValue(null, "type") : message;
    String line = String.valueOf(cause).strip().replaceAll("\\s+", " ");
    return line.length() <= LONGEST_CAUSE ? line : line.substring(0, LONGEST_CAUSE) + " ...";
  }

  private static void tell(List<Flake> flakes, PrintStream out) {
    out.println(RULE);
    out.println("FLAKES: these tests failed, and passed when they were run once more.");
    out.println(
        "Each is a bug of the test or of the product; please find and mend it, or report it.");
    for (Flake flake : flakes) {
      out.println();
      out.println("  " + flake.module() + ": " + flake.test());
      out.println("      " + flake.cause());
    }
    out.println(RULE);
  }
}
