package io.asyncflow.systemtest.readme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A Markdown file of this checkout. */
record Document(Path file, String text) {

  private static final String FENCE = "```";
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)(#[^)\\s]*)?\\)");

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

  /** The files that it links to. */
  List<Path> linkedFiles() {
    return LINK.matcher(text)
        .results()
        .map(link -> link.group(1))
        .filter(target -> !target.contains("://"))
        .map(target -> file.resolveSibling(target).normalize())
        .toList();
  }

  /** Everything that a pattern finds, its first group. */
  List<String> all(String pattern) {
    return Pattern.compile(pattern).matcher(text).results().map(Document::firstGroup).toList();
  }

  private static String firstGroup(MatchResult match) {
    return match.group(1);
  }
}
