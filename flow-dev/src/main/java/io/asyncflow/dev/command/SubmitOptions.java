package io.asyncflow.dev.command;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.dev.UsageException;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/**
 * What follows {@code ./asyncflow submit} on the command line.
 *
 * @param text the file to speak
 * @param url the server
 * @param out where the WAV goes
 * @param user who the job is for
 * @param again whether a text that was submitted before is spoken once more
 */
record SubmitOptions(Path text, URI url, Path out, String user, boolean again) {
  static final String HELP =
      """
      Usage: ./asyncflow submit FILE --url URL [--out FILE] [--user NAME] [--again]

      Has a text spoken by the workers of a running server, shows how far that is, and fetches
      the speech: a WAV and, where the workers have ffmpeg, an MP3 beside it.

        FILE         a text in UTF-8; empty lines separate its paragraphs, which are spoken
                     side by side
        --url URL    the server, as http://127.0.0.1:8081; FLOW_URL if it is not given
        --out FILE   where the WAV goes; FILE with the ending .wav if it is not given
        --user NAME  who the job is for; you if it is not given
        --again      speak it once more: the same text of the same user is one job otherwise,
                     so that a submit may be repeated, and goes on where the first one was

      A key for the server is taken from FLOW_API_KEY, or from the file that
      FLOW_API_KEY_FILE names.

      Exit code: 0 done, 1 failed, 2 not understood, 3 the server cannot be reached.
      """;

  /**
   * Reads the options.
   *
   * @param defaultUrl where no server is named; may be {@code null}
   * @param defaultUser who the job is for where nobody is named
   * @throws UsageException if there is something else
   */
  static SubmitOptions parse(List<String> arguments, String defaultUrl, String defaultUser) {
    Path text = null;
    String url = defaultUrl;
    Path out = null;
    String user = defaultUser;
    boolean again = false;
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String argument = rest.next();
      switch (argument) {
        case "--url" -> url = valueOf(argument, rest);
        case "--out" -> out = path(valueOf(argument, rest));
        case "--user" -> user = valueOf(argument, rest);
        case "--again" -> again = true;
        default -> {
          if (argument.startsWith("--")) {
            throw new UsageException("submit does not know " + argument + ".");
          }
          if (text != null) {
            throw new UsageException("submit takes one text file.");
          }
          text = path(argument);
        }
      }
    }
    if (text == null) {
      throw new UsageException("submit needs a text file; submit --help says more.");
    }
    return new SubmitOptions(text, server(url), out == null ? wavOf(text) : out, user, again);
  }

  private static String valueOf(String option, Iterator<String> rest) {
    if (!rest.hasNext()) {
      throw new UsageException(option + " needs a value.");
    }
    return rest.next();
  }

  private static URI server(String url) {
    if (url == null || url.isBlank()) {
      throw new UsageException("submit needs a server: say --url URL or set FLOW_URL.");
    }
    try {
      return HttpFlowClient.parseUrl(url);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--url must be " + e.getMessage() + ".");
    }
  }

  private static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new UsageException(text + " is not a file.");
    }
  }

  private static Path wavOf(Path text) {
    String name = text.getFileName() == null ? "speech" : text.getFileName().toString();
    int dot = name.lastIndexOf('.');
    return text.resolveSibling((dot > 0 ? name.substring(0, dot) : name) + ".wav");
  }
}
