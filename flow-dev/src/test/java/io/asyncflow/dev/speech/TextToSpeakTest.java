package io.asyncflow.dev.speech;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.DevException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextToSpeakTest {
  @TempDir Path directory;

  @Test
  void bundledTextHasEightParagraphsOfPlainAscii() {
    String text = TextToSpeak.bundled().text();
    assertThat(text.strip().split("\n\n")).hasSize(8);
    assertThat(StandardCharsets.US_ASCII.newEncoder().canEncode(text)).isTrue();
  }

  @Test
  void aTextThatOnlyEspeakNgSpeaksIsRefusedWhereItIsNotInstalled() throws IOException {
    TextToSpeak chinese = new TextToSpeak("Hello.\n\n你好，世界");
    String elsewhere = directory.resolve("nowhere") + File.pathSeparator;
    for (String path : Arrays.asList(null, "", elsewhere)) {
      assertThatThrownBy(() -> chinese.requireVoice(path))
          .isInstanceOf(DevException.class)
          .hasMessageStartingWith("The text has \"你好\" in it")
          .hasMessageContaining("apt-get install espeak-ng");
    }
    new TextToSpeak("It’s naïve – “Ærøskøbing”, 5 µm.").requireVoice("");

    Path program = Files.createFile(directory.resolve("espeak-ng"));
    assertThat(program.toFile().setExecutable(true)).isTrue();
    chinese.requireVoice(elsewhere + directory);
  }

  @Test
  void textOfAFileIsTakenAsItIs() throws IOException {
    Path file = Files.writeString(directory.resolve("a text.txt"), "Hello.\r\n");
    assertThat(TextToSpeak.in(file).text()).isEqualTo("Hello.\r\n");
  }

  @Test
  void whatCannotBeSpokenIsRefusedInOneSentence() throws IOException {
    Path missing = directory.resolve("missing.txt");
    Path empty = Files.writeString(directory.resolve("empty.txt"), " \n\t\n");
    Path binary = Files.write(directory.resolve("binary"), new byte[] {'a', (byte) 0xff, 'b'});
    Path huge = Files.writeString(directory.resolve("huge.txt"), "a".repeat(15_000_001));

    assertThatThrownBy(() -> TextToSpeak.in(missing))
        .hasMessage("There is no file " + missing + ".");
    assertThatThrownBy(() -> TextToSpeak.in(directory)).hasMessage(directory + " is not a file.");
    assertThatThrownBy(() -> TextToSpeak.in(empty)).hasMessage("The file " + empty + " is empty.");
    assertThatThrownBy(() -> TextToSpeak.in(binary))
        .hasMessage("The file " + binary + " is not text in UTF-8.");
    assertThatThrownBy(() -> TextToSpeak.in(huge))
        .hasMessage("The file " + huge + " is larger than 15 MB, which no job takes.");
  }
}
