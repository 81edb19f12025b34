package io.asyncflow.flowsvr.compose.store.upkeep;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.flowsvr.compose.store.DirectoryContextStore;
import io.asyncflow.flowsvr.compose.store.Upload;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReferencesTest {

  private static final StoreKey PIECE = key(1, "piece.wav");
  private static final StoreKey NOTE = key(1, "note");
  private static final StoreKey CONTEXT = key(2, "_context");

  @TempDir Path directory;
  private DirectoryContextStore store;
  private References references;

  @BeforeEach
  void open() {
    store = new DirectoryContextStore(directory, 0);
    references = new References(store);
  }

  private static StoreKey key(int epoch, String name) {
    return StoreKey.of("4711_lark_task_1", "render", epoch, name);
  }

  private void put(StoreKey key, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    store.put(key, new Upload(new ByteArrayInputStream(bytes), bytes.length, null), () -> {});
  }

  private Set<StoreKey> found(String... texts) throws IOException {
    return references.among(List.of(PIECE, NOTE, CONTEXT), List.of(texts));
  }

  @Test
  void referencesAreFoundWhereverTheyStand() throws IOException {
    assertThat(found("{}", "")).isEmpty();
    assertThat(found(PIECE.reference())).containsExactly(PIECE);
    assertThat(found("{\"pieces\":[\"" + PIECE.reference() + "\"]}", "see " + NOTE + "."))
        .containsExactlyInAnyOrder(PIECE, NOTE);
    assertThat(found(PIECE.reference().replace("/", "\\/"))).containsExactly(PIECE);
    assertThat(found(PIECE.reference().replace("/", "\\\\\\/"))).containsExactly(PIECE);
  }

  @Test
  void storedTextIsLookedInto() throws IOException {
    put(CONTEXT, "[\"" + NOTE.reference() + "\"]");

    assertThat(found(new StoredText(CONTEXT, 9).toString()))
        .containsExactlyInAnyOrder(CONTEXT, NOTE);
  }

  @Test
  void storedTextsThatAreTooLongToBeComparedNameAll() throws IOException {
    put(CONTEXT, " ".repeat(1_000) + NOTE.reference());
    String text = new StoredText(CONTEXT, 1_000).toString();
    List<StoreKey> keys = List.of(PIECE, NOTE, CONTEXT);

    assertThat(new References(store, 3_000).among(keys, List.of(text)))
        .containsExactlyInAnyOrder(PIECE, NOTE, CONTEXT);
    assertThat(new References(store, 30_000).among(keys, List.of(text)))
        .containsExactlyInAnyOrder(NOTE, CONTEXT);
  }

  @Test
  void backslashesWithoutASlashCostNoTime() throws IOException {
    String text = "\\".repeat(400_000);

    assertTimeoutPreemptively(Duration.ofSeconds(10), () -> assertThat(found(text)).isEmpty());
  }

  @Test
  void storedTextThatTheListLacksIsLookedIntoAllTheSame() throws IOException {
    put(CONTEXT, "[\"" + NOTE.reference() + "\"]");
    String text = new StoredText(CONTEXT, 9).toString();

    assertThat(references.among(List.of(PIECE, NOTE), List.of(text))).containsExactly(NOTE);
  }

  @Test
  void fileOfAHandlerIsNot() throws IOException {
    put(PIECE, NOTE.reference());
    assertThat(found(PIECE.reference())).containsExactly(PIECE);
  }

  @Test
  void storedTextThatIsGoneNamesNothing() throws IOException {
    assertThat(found(new StoredText(CONTEXT, 9).toString())).containsExactly(CONTEXT);
  }

  @Test
  void referenceIsFoundAcrossTheBoundsOfWhatIsReadAtOnce() throws IOException {
    for (int before = 65_400; before < 65_640; before++) {
      put(CONTEXT, "ü" + "x".repeat(before) + PIECE.reference().replace("/", "\\/") + "y");
      assertThat(found(CONTEXT.toString())).as("after %d", before).contains(PIECE);
    }
  }
}
