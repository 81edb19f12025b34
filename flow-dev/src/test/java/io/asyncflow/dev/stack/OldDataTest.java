package io.asyncflow.dev.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OldDataTest {
  private static final LocalDate TODAY = LocalDate.of(2027, 3, 9);

  @TempDir Path parent;
  private Path data;

  @BeforeEach
  void makeData() throws IOException {
    data = dataWith("mariadb", "kept");
  }

  private Path dataWith(String part, String file) throws IOException {
    Path directory = parent.resolve("my data");
    Files.createDirectories(directory.resolve(part));
    Files.createFile(directory.resolve(part).resolve(file));
    return directory;
  }

  @Test
  void directoryIsNamedAfterItselfAndTheDay() {
    Path aside = OldData.moveAside(data, TODAY);

    assertThat(aside).isEqualTo(parent.resolve("my data.old-2027-03-09"));
    assertThat(aside.resolve("mariadb/kept")).exists();
    assertThat(data).doesNotExist();
  }

  @Test
  void nameThatIsTakenIsLeftAlone() throws IOException {
    Path first = OldData.moveAside(data, TODAY);
    Path second = OldData.moveAside(dataWith("mariadb", "later"), TODAY);
    Files.createDirectory(parent.resolve("my data.old-2027-03-09-3")); // empty, but somebody's

    Path fourth = OldData.moveAside(dataWith("mariadb", "last"), TODAY);

    assertThat(first.resolve("mariadb/kept")).exists();
    assertThat(second).isEqualTo(parent.resolve("my data.old-2027-03-09-2"));
    assertThat(second.resolve("mariadb/later")).exists();
    assertThat(fourth).isEqualTo(parent.resolve("my data.old-2027-03-09-4"));
  }

  @Test
  void everythingThatCommandsKeepThereMovesAlong() throws IOException {
    List<String> all =
        List.of("redis", "flowsvr", "worker", "worker-2", "logs", "store", "spool", "speech");
    for (String part : all) {
      dataWith(part, "kept");
    }
    Files.createFile(data.resolve("asyncflow.lock"));

    Path aside = OldData.moveAside(data, TODAY);

    assertThat(all).allMatch(part -> Files.exists(aside.resolve(part).resolve("kept")));
  }

  @Test
  void directoryInWhichOthersHaveFilesStays() throws IOException {
    Files.createFile(data.resolve("thesis.txt"));

    assertThatThrownBy(() -> OldData.moveAside(data, TODAY))
        .isInstanceOf(DevException.class)
        .hasMessage(
            "The data in %s was made from another baseline of the schema, and is not moved because"
                + " thesis.txt beside it is not Asyncflow's: move that away, or name another"
                + " directory (dev --data-dir).",
            data);

    assertThat(data.resolve("mariadb/kept")).exists();
  }
}
