package io.asyncflow.systemtest.readme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Markdown file of this checkout. */
record Document(Path file, String text) {

  private static final String FENCE = "```";
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
  private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");

  /**
   * A fenced block.
   *
   * @param line where it begins, from 1
   * @param language what stands behind the fence; empty if nothing does
   */
  record Block(int line, String language, String code) {
    String firstLine() {
      return code.lines().findFirst().orElse("");
    }

    @Override
    public String toString() {
      return "the block in line " + line + " (" + language + "), " + firstLine();
    }
  }

  /** The root of the checkout that is tested. */
  static Path home() {
    return Path.of(System.getProperty("asyncflow.home", "..")).toAbsolutePath().normalize();
  }

  /** Reads a file by its path from the root. */
  static Document read(String path) {
    Path file = home().resolve(path);
    try {
      return new Document(file, Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The fenced blocks, in order. */
  List<Block> blocks() {
    List<Block> blocks = new ArrayList<>();
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith(FENCE)) {
        int end = i + 1;
        while (!lines.get(end).equals(FENCE)) {
          end++;
        }
        String code = String.join("\n", lines.subList(i + 1, end));
        blocks.add(new Block(i + 1, lines.get(i).substring(FENCE.length()).strip(), code));
        i = end;
      }
    }
    return blocks;
  }

  /**
   * A link within this checkout.
   *
   * @param anchor the heading that it names; empty for none
   */
  record Link(Path file, String anchor) {}

  /** The files and headings that it links to. */
  List<Link> links() {
    return LINK.matcher(text)
        .results()
        .filter(link -> !link.group(1).contains("://"))
        .map(
            link ->
                new Link(
                    link.group(1).isEmpty() ? file : file.resolveSibling(link.group(1)).normalize(),
                    link.group(2) == null ? "" : link.group(2)))
        .toList();
  }

  /** The files that it links to. */
  List<Path> linkedFiles() {
    return links().stream().map(Link::file).toList();
  }

  /** What links name its headings by, as GitHub makes it of their words. */
  Set<String> anchors() {
    Set<String> anchors = new HashSet<>();
    boolean isCode = false;
    for (String line : text.lines().toList()) {
      Matcher heading = HEADING.matcher(line);
      if (line.startsWith(FENCE)) {
        isCode = !isCode;
      } else if (!isCode && heading.matches()) {
        String first = anchorOf(heading.group(1));
        String anchor = first;
        for (int another = 1; !anchors.add(anchor); another++) {
          anchor = first + "-" + another;
        }
      }
    }
    return anchors;
  }

  private static String anchorOf(String heading) {
    return heading
        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{M}\\p{N}_ -]", "")
        .replace(' ', '-');
  }

  /** Everything that a pattern finds, its first group. */
  List<String> all(String pattern) {
    return Pattern.compile(pattern).matcher(text).results().map(Document::firstGroup).toList();
  }

  private static String firstGroup(MatchResult match) {
    return match.group(1);
  }
}
