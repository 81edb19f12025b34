import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Looks up the libraries of the built jars in OSV, a database of known vulnerabilities: {@code java
 * -cp JACKSON .ci/Scan.java FEED ACCEPTED SBOM...}. FEED is {@code https://api.osv.dev} or a mirror
 * of it, ACCEPTED the file with the vulnerabilities that are accepted until a date, and each SBOM
 * lists the libraries of a jar.
 *
 * <p>The exit status is 1 if a vulnerability is high or critical, or its severity unknown, and
 * nobody has accepted it. Where the feed cannot be reached, one line says that nothing was looked
 * up, and the exit status is 0: a build must work without the network.
 */
final class Scan {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int MOST_IN_A_QUERY = 1_000;
  private static final int MOST_DAYS = 90;
  private static final Set<String> HARMLESS = Set.of("LOW", "MODERATE", "MEDIUM");

  /** A row of the accepted: the id, some columns, the last day. */
  private static final Pattern ACCEPTED =
      Pattern.compile("^\\| *([\\w-]+) *\\|.*\\| *(\\d{4}-\\d{2}-\\d{2}) *\\|");

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private final JsonMapper json = new JsonMapper();
  private final URI feed;

  /**
   * @param names its id in OSV, and what others call it
   */
  private record Vulnerability(Set<String> names, String severity, String summary) {}

  private Scan(URI feed) {
    this.feed = feed;
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    List<Path> files = Stream.of(args).skip(1).map(Path::of).toList();
    PrintStream out = new PrintStream(System.out, true, UTF_8);
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    boolean good =
        run(URI.create(args[0]), files.get(0), files.subList(1, files.size()), today, out);
    System.exit(good ? 0 : 1);
  }

  /** Returns whether the build may go on. */
  static boolean run(URI feed, Path accepted, List<Path> sboms, LocalDate today, PrintStream out)
      throws IOException, InterruptedException {
    Scan scan = new Scan(feed);
    Set<String> libraries = scan.librariesIn(sboms);
    Set<String> acceptedToday = acceptedOn(today, accepted);
    int bad = 0;
    try {
      Map<String, Set<String>> found = scan.find(libraries);
      for (Map.Entry<String, Set<String>> each : found.entrySet()) {
        Vulnerability vulnerability = scan.describe(each.getKey());
        boolean harmless = HARMLESS.contains(vulnerability.severity());
        boolean known = vulnerability.names().stream().anyMatch(acceptedToday::contains);
        String verdict = harmless ? "" : known ? "accepted: " : "NOT ACCEPTED: ";
        out.println("  " + verdict + line(vulnerability, each.getValue()));
        bad += harmless || known ? 0 : 1;
      }
      out.printf(
          Locale.ROOT,
          "Scan: %s libraries, %s known vulnerabilities, %s of them serious and not accepted (%s).%n",
          libraries.size(),
          found.size(),
          bad,
          accepted);
      return bad == 0;
    } catch (IOException e) {
      out.printf(
          Locale.ROOT,
          "Scan not run: %s gives no answer (%s), so nothing is known of %s libraries.%n",
          feed,
          e,
          libraries.size());
      return bad == 0;
    }
  }

  private static String line(Vulnerability vulnerability, Set<String> libraries) {
    return "%s %s in %s: %s"
        .formatted(
            vulnerability.severity(),
            String.join(" = ", vulnerability.names()),
            String.join(", ", libraries),
            vulnerability.summary());
  }

  /** Without our own, which OSV cannot know. */
  private Set<String> librariesIn(List<Path> sboms) throws IOException {
    Set<String> libraries = new TreeSet<>();
    for (Path sbom : sboms) {
      for (JsonNode component : json.readTree(Files.readString(sbom)).path("components")) {
        String library = component.path("purl").asString("").replaceAll("[?#].*", "");
        if (!library.isEmpty() && !library.startsWith("pkg:maven/io.asyncflow/")) {
          libraries.add(library);
        }
      }
    }
    return libraries;
  }

  /** Without rows that have ended, or that were to hold for longer than may be. */
  private static Set<String> acceptedOn(LocalDate today, Path file) throws IOException {
    Set<String> accepted = new TreeSet<>();
    for (String line : Files.readAllLines(file)) {
      Matcher row = ACCEPTED.matcher(line);
      if (row.find()) {
        LocalDate until = LocalDate.parse(row.group(2));
        if (!until.isBefore(today) && !until.isAfter(today.plusDays(MOST_DAYS))) {
          accepted.add(row.group(1));
        }
      }
    }
    return accepted;
  }

  /** The ids of what is known, and in which libraries. */
  private Map<String, Set<String>> find(Set<String> libraries)
      throws IOException, InterruptedException {
    Map<String, Set<String>> found = new TreeMap<>();
    Map<String, String> pages = new HashMap<>(); // of each library that is asked for: the next one
    libraries.forEach(library -> pages.put(library, ""));
    while (!pages.isEmpty()) {
      List<String> asked = pages.keySet().stream().sorted().limit(MOST_IN_A_QUERY).toList();
      JsonNode results = post("/v1/querybatch", query(asked, pages)).path("results");
      if (results.size() != asked.size()) {
        throw new IOException(results.size() + " results for " + asked.size() + " libraries");
      }
      for (int i = 0; i < asked.size(); i++) {
        String library = asked.get(i);
        for (JsonNode vulnerability : results.path(i).path("vulns")) {
          String id = vulnerability.path("id").asString();
          found.computeIfAbsent(id, none -> new TreeSet<>()).add(library);
        }
        String next = results.path(i).path("next_page_token").asString("");
        if (next.isEmpty()) {
          pages.remove(library);
        } else {
          pages.put(library, next);
        }
      }
    }
    return found;
  }

  private ObjectNode query(List<String> libraries, Map<String, String> pages) {
    ObjectNode query = json.createObjectNode();
    ArrayNode queries = query.putArray("queries");
    for (String library : libraries) {
      ObjectNode one = queries.addObject();
      one.putObject("package").put("purl", library);
      if (!pages.get(library).isEmpty()) {
        one.put("page_token", pages.get(library));
      }
    }
    return query;
  }

  private Vulnerability describe(String id) throws IOException, InterruptedException {
    JsonNode known = read(HttpRequest.newBuilder(feed.resolve("/v1/vulns/" + id)));
    List<String> names = new ArrayList<>(List.of(id));
    known.path("aliases").forEach(alias -> names.add(alias.asString()));
    return new Vulnerability(
        new TreeSet<>(names),
        known.path("database_specific").path("severity").asString("UNKNOWN"),
        known.path("summary").asString("").strip());
  }

  private JsonNode post(String path, ObjectNode body) throws IOException, InterruptedException {
    return read(
        HttpRequest.newBuilder(feed.resolve(path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.writeValueAsString(body))));
  }

  private JsonNode read(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.send(request.timeout(PATIENCE).build(), BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException("HTTP " + answer.statusCode());
    }
    try {
      return json.readTree(answer.body());
    } catch (JacksonException e) {
      throw new IOException("no JSON", e);
    }
  }
}
