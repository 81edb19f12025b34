package io.asyncflow.worker.internal.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.internal.loop.LoggedLines;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.FileSystemUtils;

class DiskSpoolTest {

  @TempDir Path directory;
  private Path root;

  @BeforeEach
  void oneServer() {
    root = directory.resolve("spool").resolve("http_server_8081");
  }

  private static Report report(String id) {
    return new Report(
        "1_lark_task_1",
        "w1",
        7,
        Outcome.SUCCESS,
        id,
        null,
        null,
        null,
        "ready 好",
        null,
        null,
        null,
        true,
        2,
        List.of("w2"),
        List.of(NewTask.of("lark", "next", "me", "{}").withOnDuplicate(OnDuplicate.KEEP)),
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        false);
  }

  private DiskSpool spool() {
    return new DiskSpool(root);
  }

  /** Everything below the root, the lock files aside. */
  private List<String> files() throws IOException {
    if (!Files.exists(root)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile)
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.equals("lock"))
          .sorted()
          .toList();
    }
  }

  /** The directories of processes and of what is set aside. */
  private List<Path> directories() throws IOException {
    try (Stream<Path> all = Files.list(root)) {
      return all.toList();
    }
  }

  @Test
  void aPlaceThatCannotBeWrittenIsSaidAtTheStart() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    try (LoggedLines log = new LoggedLines(DiskSpool.class)) {
      aWorkerThatSpoolsTo(directory.resolve("not").resolve("yet"));
      assertThat(log.lines()).isEmpty();
      aWorkerThatSpoolsTo(file.resolve("spool"));
      assertThat(log.lines())
          .singleElement()
          .asString()
          .startsWith(
              "spoolDir " + file.resolve("spool") + " cannot be written, as " + file + " is no")
          .contains("asyncflow.worker.spool-dir");
    }
  }

  private static void aWorkerThatSpoolsTo(Path spool) {
    Worker.builder()
        .url("http://127.0.0.1:1")
        .spoolDir(spool)
        .handler("lark", "one", context -> StageResult.done())
        .build();
  }

  @Test
  void nothingIsMadeBeforeAReportIsKept() {
    DiskSpool spool = spool();
    assertThat(spool.adopt()).isEmpty();
    assertThat(spool.full()).isFalse();
    spool.forget(report("a"));
    spool.close();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void whatIsKeptIsThereAfterARestart() throws IOException {
    DiskSpool before = spool();
    assertThat(before.keep(report("a"))).isTrue();
    assertThat(before.keep(report("b"))).isTrue();
    assertThat(before.size()).isEqualTo(2);
    before.close();

    DiskSpool after = spool();
    assertThat(after.adopt()).containsExactlyInAnyOrder(report("a"), report("b"));
    assertThat(after.size()).isEqualTo(2);
    assertThat(after.adopt()).as("once").isEmpty();
    after.forget(report("a"));
    assertThat(files()).containsExactly("b.json");
    after.forget(report("b"));
    assertThat(directories()).isEmpty();
  }

  @Test
  void whatNobodyDeliversIsInheritedAgainAndAgain() {
    spool().keep(report("other"));
    DiskSpool first = spool();
    first.keep(report("a"));
    first.close();
    DiskSpool second = spool();
    assertThat(second.adopt()).containsExactly(report("a"));
    second.close();
    assertThat(spool().adopt()).containsExactly(report("a"));
  }

  @Test
  void whatALivingWorkerKeepsIsItsOwn() {
    DiskSpool one = spool();
    one.keep(report("a"));
    DiskSpool other = spool();
    assertThat(other.adopt()).isEmpty();
    one.close();
    assertThat(other.adopt()).containsExactly(report("a"));
  }

  @Test
  void ofManyThatWantToInheritOneDoes() throws Exception {
    DiskSpool ended = spool();
    for (int i = 0; i < 50; i++) {
      ended.keep(report("r" + i));
    }
    ended.close();
    int heirs = 8;
    CyclicBarrier together = new CyclicBarrier(heirs);
    ExecutorService threads = Executors.newFixedThreadPool(heirs);
    try {
      List<Callable<List<Report>>> all = new ArrayList<>();
      for (int i = 0; i < heirs; i++) {
        DiskSpool heir = spool();
        all.add(
            () -> {
              together.await();
              return heir.adopt();
            });
      }
      List<Report> inherited = new ArrayList<>();
      for (Future<List<Report>> one : threads.invokeAll(all)) {
        inherited.addAll(one.get());
      }
      assertThat(inherited).hasSize(50).doesNotHaveDuplicates();
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aReportThatIsSettledLeavesNothing() throws IOException {
    DiskSpool spool = spool();
    spool.keep(report("a"));
    spool.keep(report("a"));
    assertThat(files()).containsExactly("a.json");
    spool.forget(report("a"));
    spool.forget(report("a"));
    assertThat(files()).isEmpty();
    assertThat(spool.size()).isZero();
    spool.close();
    spool.close();
    assertThat(directories()).isEmpty();
  }

  @Test
  void aReportMayBeSettledAfterTheEndOfItsWorker() throws IOException {
    DiskSpool spool = spool();
    spool.keep(report("a"));
    spool.close();
    spool.forget(report("a"));
    assertThat(files()).isEmpty();
    assertThat(spool.keep(report("b"))).isFalse();
    assertThat(spool().adopt()).isEmpty();
    assertThat(directories()).isEmpty();
  }

  @Test
  void aDirectoryThatCannotBeTakenOverKeepsNoOtherFromIt() throws IOException {
    DiskSpool ended = spool();
    ended.keep(report("a"));
    ended.close();
    for (int i = 0; i < 8; i++) { // some of them come first, whatever the order of the disk
      Files.createDirectories(root.resolve(i + "-foreign").resolve("lock"));
    }

    DiskSpool heir = spool();
    try (LoggedLines log = new LoggedLines(DiskSpool.class)) {
      assertThat(heir.adopt()).containsExactly(report("a"));
      assertThat(heir.adopt()).isEmpty();
      assertThat(log.lines())
          .as("said once of each")
          .filteredOn(line -> line.contains("cannot be adopted"))
          .hasSize(8);
    }
  }

  @Test
  void whatIsNoReportIsSetAsideAndTheOthersAreDelivered() throws IOException {
    DiskSpool ended = spool();
    ended.keep(report("good"));
    ended.keep(report("cut"));
    ended.close();
    Path home = directories().get(0);
    String whole = Files.readString(home.resolve("cut.json"));
    Files.writeString(home.resolve("cut.json"), whole.substring(0, whole.length() / 2));
    Files.writeString(home.resolve("empty.json"), "");
    Files.writeString(home.resolve("other.json"), "{\"taskId\":\"1_lark_task_1\"}");
    Files.writeString(home.resolve("strange.json"), whole.replace("SUCCESS", "MAYBE"));
    Files.writeString(home.resolve("begun.json.tmp"), "{");

    DiskSpool heir = spool();
    try (LoggedLines log = new LoggedLines(DiskSpool.class)) {
      assertThat(heir.adopt()).containsExactly(report("good"));
      assertThat(log.lines()).anyMatch(line -> line.contains("cut.json is no report"));
    }
    heir.forget(report("good"));
    assertThat(directories()).containsExactly(root.resolve("set-aside"));
    assertThat(files()).containsExactly("cut.json", "empty.json", "other.json", "strange.json");
    assertThat(spool().adopt()).isEmpty();
  }

  @Test
  void whatCannotBeSettledIsSetAside() throws IOException {
    DiskSpool spool = spool();
    spool.keep(report("a"));
    spool.setAside(report("a"));
    spool.setAside(report("never kept"));
    assertThat(root.resolve("set-aside").resolve("a.json")).exists();
    assertThat(spool.size()).isZero();
    assertThat(spool().adopt()).isEmpty();
  }

  @Test
  void aFullSpoolTakesNoMoreAndSaysSoOnce() {
    DiskSpool spool = new DiskSpool(root, 2, Long.MAX_VALUE);
    assertThat(spool.keep(report("a"))).isTrue();
    assertThat(spool.full()).isFalse();
    assertThat(spool.keep(report("b"))).isTrue();
    assertThat(spool.full()).isTrue();
    try (LoggedLines log = new LoggedLines(DiskSpool.class)) {
      assertThat(spool.keep(report("c"))).isFalse();
      assertThat(spool.keep(report("d"))).isFalse();
      assertThat(spool.keep(report("a"))).as("kept already").isTrue();
      assertThat(log.lines()).hasSize(1);
    }
    spool.forget(report("a"));
    assertThat(spool.full()).isFalse();
    assertThat(spool.keep(report("c"))).isTrue();
  }

  @Test
  void bytesAreCountedToo() {
    spool().keep(report("a"));
    long size = bytesOf("a");
    DiskSpool spool = new DiskSpool(root, 100, 2 * size);
    assertThat(spool.keep(report("b"))).isTrue();
    assertThat(spool.keep(report("c"))).isTrue();
    assertThat(spool.full()).isTrue();
    assertThat(spool.keep(report("d"))).isFalse();
  }

  private long bytesOf(String id) {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(file -> file.endsWith(id + ".json"))
          .findFirst()
          .orElseThrow()
          .toFile()
          .length();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatDoesNotFitIsInheritedLater() {
    DiskSpool ended = spool();
    ended.keep(report("a"));
    DiskSpool endedToo = spool();
    endedToo.keep(report("b"));
    ended.close();
    endedToo.close();
    DiskSpool small = new DiskSpool(root, 1, Long.MAX_VALUE);
    List<Report> first = small.adopt();
    assertThat(first).hasSize(1);
    small.forget(first.get(0));
    assertThat(small.adopt()).hasSize(1).doesNotContainAnyElementsOf(first);
  }

  @Test
  void aDiskThatRefusesIsSaidOnceAndThrowsNothing() throws IOException {
    Files.createFile(directory.resolve("spool"));
    DiskSpool spool = spool();
    try (LoggedLines log = new LoggedLines(DiskSpool.class)) {
      assertThat(spool.keep(report("a"))).isFalse();
      assertThat(spool.keep(report("a"))).isFalse();
      assertThat(spool.adopt()).isEmpty();
      assertThat(log.lines()).hasSize(1);
    }
    spool.close();
  }

  @Test
  void aDirectoryThatCannotBeFinishedIsRemoved() throws IOException {
    DiskSpool spool = new DiskSpool(rootInWhichNoLockHasRoom());
    assertThat(spool.keep(report("a"))).isFalse();
    assertThat(root).isEmptyDirectory();
  }

  /** A directory can be made in it. The path of a file in that one is too long. */
  private Path rootInWhichNoLockHasRoom() throws IOException {
    int longestPath = 4095;
    int ofDirectory = ("/.-" + ProcessHandle.current().pid() + UUID.randomUUID()).length();
    Path parent = Files.createDirectories(directory.toRealPath());
    int missing = longestPath - ofDirectory - parent.toString().length();
    while (missing > 250) {
      parent = parent.resolve("d".repeat(200));
      missing -= 201;
    }
    root = parent.resolve("d".repeat(missing - 1));
    Files.createDirectories(root);
    return root;
  }

  @Test
  void noDirectoryIsMadeForEachReportWhereNoneCanBeMade() throws IOException {
    Path obstacle = Files.createFile(directory.resolve("spool"));
    DiskSpool spool = spool();
    assertThat(spool.keep(report("a"))).isFalse();
    Files.delete(obstacle);
    assertThat(spool.keep(report("a"))).isFalse();
    spool.adopt(); // once a minute
    assertThat(spool.keep(report("a"))).isTrue();
    assertThat(spool.keep(report("b"))).isTrue();
  }

  @Test
  void aStopTriesOnceMoreToMakeOne() throws IOException {
    Path obstacle = Files.createFile(directory.resolve("spool"));
    DiskSpool spool = spool();
    assertThat(spool.keep(report("a"))).isFalse();
    Files.delete(obstacle);
    spool.tryAgain();
    assertThat(spool.keep(report("a"))).isTrue();
  }

  @Test
  void nobodyElseMayReadIt() throws IOException {
    assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"));
    spool().keep(report("a"));
    for (Path each : List.of(root, directories().get(0))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
          .isEqualTo("rwx------");
    }
  }

  /** As by a cleaner of temporary files, or where a volume is mounted anew. */
  @Test
  void directoryThatIsDeletedUnderTheWorkerIsMadeAgain() throws IOException {
    DiskSpool spool = new DiskSpool(root);
    assertThat(spool.keep(report("1"))).isTrue();
    FileSystemUtils.deleteRecursively(directory.resolve("spool"));

    assertThat(spool.keep(report("2"))).isTrue();
    assertThat(spool.size()).isEqualTo(2);
    assertThat(spool.keep(report("1"))).as("each is offered again").isTrue();
    spool.close();
    assertThat(new DiskSpool(root).adopt())
        .extracting(Report::reportId)
        .containsExactlyInAnyOrder("1", "2");
  }

  /** Without its lock no later worker could claim the directory. */
  @ParameterizedTest
  @ValueSource(strings = {"lock", "1.json"})
  void fileThatIsDeletedUnderTheWorkerIsWrittenAgain(String name) throws IOException {
    DiskSpool spool = new DiskSpool(root);
    assertThat(spool.keep(report("1"))).isTrue();
    try (Stream<Path> files = Files.walk(root)) {
      Files.delete(files.filter(file -> file.endsWith(name)).findFirst().orElseThrow());
    }
    assertThat(spool.keep(report("1"))).isTrue();
    assertThat(spool.size()).isOne();
    spool.close();
    assertThat(new DiskSpool(root).adopt()).extracting(Report::reportId).containsExactly("1");
  }
}
