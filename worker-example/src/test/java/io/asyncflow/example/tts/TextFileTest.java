package io.asyncflow.example.tts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.worker.NonRetryableException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

class TextFileTest {

  @TempDir Path temp;

  @Test
  void aByteOrderMarkIsNotPartOfTheText() throws Exception {
    assertThat(read("\uFEFFHello".getBytes(StandardCharsets.UTF_8), 100)).isEqualTo("Hello");
  }

  @Test
  void malformedUtf8IsRefusedWithItsPlace() {
    assertThatThrownBy(() -> read("caf\u00e9".getBytes(StandardCharsets.ISO_8859_1), 100))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage(
            "The text file " + temp.resolve("text.txt") + " is not UTF-8: byte 3 is malformed.");
    assertThatThrownBy(() -> read("Hello".getBytes(StandardCharsets.UTF_16), 100))
        .hasMessageEndingWith("is not UTF-8: byte 0 is malformed.");
    assertThatThrownBy(() -> read(new byte[] {'a', (byte) 0xe4, (byte) 0xbd}, 100))
        .hasMessageEndingWith("is not UTF-8: byte 1 is malformed.");
  }

  @Test
  void aTextOfTheSizeAllowedIsReadAndALongerOneRefused() throws Exception {
    assertThat(read("12345".getBytes(StandardCharsets.UTF_8), 5)).isEqualTo("12345");
    assertThatThrownBy(() -> read("123456".getBytes(StandardCharsets.UTF_8), 5))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage("The text file " + temp.resolve("text.txt") + " is longer than 5 bytes.");
  }

  @Test
  void anEmptyFileIsAnEmptyText() throws Exception {
    assertThat(read(new byte[0], 5)).isEmpty();
  }

  private String read(byte[] bytes, long max) throws Exception {
    return TextFile.read(Files.write(temp.resolve("text.txt"), bytes), DataSize.ofBytes(max));
  }
}
