package io.asyncflow.example.tts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.worker.NonRetryableException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedDirectoryTest {

  @TempDir Path temp;
  private Path root;
  private AllowedDirectory directory;

  @BeforeEach
  void makeAFileInsideAndOneOutside() throws Exception {
    temp = temp.toRealPath();
    root = Files.createDirectories(temp.resolve("in"));
    Files.writeString(root.resolve("text.txt"), "inside");
    Files.writeString(temp.resolve("secret.txt"), "outside");
    Files.createDirectories(temp.resolve("in-too"));
    Files.writeString(temp.resolve("in-too/secret.txt"), "outside");
    directory = new AllowedDirectory(root, "input directory", "example.tts.input-dir");
  }

  @Test
  void aFileInsideIsFoundByAnyOfItsNames() throws Exception {
    Path file = root.resolve("text.txt");
    assertThat(directory.file(file.toString())).isEqualTo(file);
    assertThat(directory.file("text.txt")).isEqualTo(file);
    assertThat(directory.file("a/../text.txt")).isEqualTo(file);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/etc/passwd",
        "../secret.txt",
        "x/../../secret.txt",
        "../in-too/secret.txt",
        "..",
        "../nothing-there",
        "/",
      })
  void whatLeadsOutsideIsRefused(String asked) {
    assertThatThrownBy(() -> directory.file(asked))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage(
            "\""
                + asked
                + "\" is outside of the input directory "
                + root
                + " (example.tts.input-dir).");
  }

  @Test
  void aLinkThatLeadsOutsideIsRefused() throws Exception {
    Files.createSymbolicLink(root.resolve("link.txt"), temp.resolve("secret.txt"));
    Files.createSymbolicLink(root.resolve("dir"), temp);
    assertThatThrownBy(() -> directory.file("link.txt")).hasMessageContaining("is outside of");
    assertThatThrownBy(() -> directory.file("dir/secret.txt"))
        .hasMessageContaining("is outside of");
    assertThatThrownBy(() -> directory.directory("dir/new")).hasMessageContaining("is outside of");
    assertThat(temp.resolve("new")).doesNotExist();
  }

  @Test
  void aLinkToNowhereIsNoWayOutEither() throws Exception {
    Files.createSymbolicLink(root.resolve("dangling"), temp.resolve("new"));
    assertThatThrownBy(() -> directory.directory("dangling"))
        .isInstanceOf(NonRetryableException.class);
    assertThat(temp.resolve("new")).doesNotExist();
  }

  @Test
  void theDirectoryItselfMayBeALink() throws Exception {
    Path link = Files.createSymbolicLink(temp.resolve("link"), root);
    AllowedDirectory linked = new AllowedDirectory(link, "input directory", "x");
    assertThat(linked.file("text.txt")).isEqualTo(root.resolve("text.txt"));
    assertThat(linked.file(root + "/text.txt")).isEqualTo(root.resolve("text.txt"));
    assertThat(linked.file(link + "/text.txt")).isEqualTo(root.resolve("text.txt"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nothing.txt", ".", "text.txt/x", "file:text.txt", "~/text.txt"})
  void whatIsNoFileIsRefused(String asked) {
    assertThatThrownBy(() -> directory.file(asked))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage("There is no file \"" + asked + "\".");
  }

  @Test
  void whatIsNoPathIsRefusedOnOneLine() {
    assertThatThrownBy(() -> directory.file("a\u0000\nb"))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage("\"a??b\" is not a path.");
    assertThatThrownBy(() -> directory.file("x".repeat(1_701)))
        .hasMessage("A path has 1701 bytes; 1700 are allowed.");
    assertThatThrownBy(() -> directory.file(null))
        .hasMessage("The context names no file in the input directory.");
  }

  @Test
  void aMissingInputDirectoryIsTold() {
    Path missing = temp.resolve("missing");
    assertThatThrownBy(
            () -> new AllowedDirectory(missing, "input directory", "a.b").file("text.txt"))
        .hasMessage("The input directory " + missing + " does not exist; make it or set a.b.");
  }

  @Test
  void aMissingOutputDirectoryIsMade() throws Exception {
    AllowedDirectory output = new AllowedDirectory(temp.resolve("out"), "output directory", "a.b");
    assertThat(output.directory("a/b")).isEqualTo(temp.resolve("out/a/b")).isDirectory();
    assertThat(output.directory(null)).isEqualTo(temp.resolve("out"));
    assertThat(output.directory(temp + "/out/c")).isEqualTo(temp.resolve("out/c")).isDirectory();
  }

  @Test
  void aFileIsNoDirectory() {
    assertThatThrownBy(() -> directory.directory("text.txt"))
        .hasMessage("\"text.txt\" is not a directory.");
  }
}
