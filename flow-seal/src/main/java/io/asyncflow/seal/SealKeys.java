package io.asyncflow.seal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.Parameters;
import com.google.crypto.tink.RegistryConfiguration;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.aead.AeadConfig;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import com.google.crypto.tink.daead.DeterministicAeadConfig;
import com.google.crypto.tink.daead.PredefinedDeterministicAeadParameters;
import com.google.crypto.tink.streamingaead.PredefinedStreamingAeadParameters;
import com.google.crypto.tink.streamingaead.StreamingAeadConfig;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The keys of a codec, and the file that has them: a JSON object with one Tink keyset for each use.
 * Each keyset has a primary key, which seals; all its keys open. Immutable.
 *
 * <p>Whoever can read the file can open everything, so it is refused if every user of the machine
 * can. Its group may: secrets of Kubernetes belong to a group that only the process is in.
 */
public final class SealKeys {

  /** What a keyset is used for. */
  enum Use {
    /** Texts. */
    TEXTS(PredefinedAeadParameters.AES256_GCM),
    /** Texts of calls that may be repeated, which the same key seals alike. */
    REPEATABLE(PredefinedDeterministicAeadParameters.AES256_SIV),
    /** Objects of the context store. */
    OBJECTS(PredefinedStreamingAeadParameters.AES256_GCM_HKDF_1MB);

    private final Parameters parameters;

    Use(Parameters parameters) {
      this.parameters = parameters;
    }

    String member() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private static final Set<PosixFilePermission> PERMITTED =
      PosixFilePermissions.fromString("rw-r-----");

  static {
    try {
      AeadConfig.register();
      DeterministicAeadConfig.register();
      StreamingAeadConfig.register();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Tink has no AES", e);
    }
  }

  private final Map<Use, KeysetHandle> keysets;

  private SealKeys(Map<Use, KeysetHandle> keysets) {
    this.keysets = keysets;
  }

  /** New keys. */
  public static SealKeys generate() {
    Map<Use, KeysetHandle> keysets = new EnumMap<>(Use.class);
    for (Use use : Use.values()) {
      keysets.put(use, rotated(use, KeysetHandle.newBuilder()));
    }
    return new SealKeys(keysets);
  }

  /** These keys and new ones, which seal from now on. */
  public SealKeys rotated() {
    Map<Use, KeysetHandle> rotated = new EnumMap<>(Use.class);
    keysets.forEach((use, keys) -> rotated.put(use, rotated(use, KeysetHandle.newBuilder(keys))));
    return new SealKeys(rotated);
  }

  /**
   * Keys that were made together, by their numbers, which stand in what they have sealed.
   *
   * @param texts seals texts
   * @param repeatable seals texts of calls that may be repeated
   * @param objects seals objects
   * @param isPrimary whether they seal now
   */
  public record Generation(long texts, long repeatable, long objects, boolean isPrimary) {

    boolean has(long number) {
      return number == texts || number == repeatable || number == objects;
    }
  }

  /**
   * All keys, the oldest first.
   *
   * @throws SealKeysException if another tool has put them together, so that they have no
   *     generations
   */
  public List<Generation> generations() {
    if (placesOfPrimaries().distinct().count() > 1) {
      throw new SealKeysException(
          "the keys seal and open, but were not made together, as ./asyncflow seal makes them: so"
              + " they cannot be listed, and none can be removed");
    }
    List<Generation> generations = new ArrayList<>();
    for (int i = 0; i < keysets.get(Use.TEXTS).size(); i++) {
      generations.add(
          new Generation(
              number(Use.TEXTS, i),
              number(Use.REPEATABLE, i),
              number(Use.OBJECTS, i),
              keysets.get(Use.TEXTS).getAt(i).isPrimary()));
    }
    return generations;
  }

  /** For each use, which of how many keys seals. */
  private Stream<List<Boolean>> placesOfPrimaries() {
    return keysets.values().stream()
        .map(
            keys ->
                IntStream.range(0, keys.size()).mapToObj(i -> keys.getAt(i).isPrimary()).toList());
  }

  private long number(Use use, int place) {
    return Integer.toUnsignedLong(keysets.get(use).getAt(place).getId());
  }

  /**
   * These keys without those that were made together with the one of this number: nothing opens any
   * more that they have sealed.
   *
   * @throws SealKeysException if there are none, or they seal now, or as {@link #generations()}
   */
  public SealKeys without(long number) {
    List<Generation> generations = generations();
    int place = 0;
    while (place < generations.size() && !generations.get(place).has(number)) {
      place++;
    }
    if (place == generations.size()) {
      throw new SealKeysException("there is no key " + number);
    }
    if (generations.get(place).isPrimary()) {
      throw new SealKeysException("key " + number + " is one that seals now; rotate first");
    }
    Map<Use, KeysetHandle> left = new EnumMap<>(Use.class);
    for (Map.Entry<Use, KeysetHandle> keyset : keysets.entrySet()) {
      left.put(keyset.getKey(), without(place, KeysetHandle.newBuilder(keyset.getValue())));
    }
    return new SealKeys(left);
  }

  private static KeysetHandle without(int place, KeysetHandle.Builder keys) {
    try {
      return keys.deleteAt(place).build();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Tink removes no key", e);
    }
  }

  private static KeysetHandle rotated(Use use, KeysetHandle.Builder keys) {
    try {
      return keys.addEntry(
              KeysetHandle.generateEntryFromParameters(use.parameters).withRandomId().makePrimary())
          .build();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Tink makes no keys", e);
    }
  }

  /**
   * Reads a file.
   *
   * @throws SealKeysException if there is none, others than its owner and its group can read it, or
   *     it has no keys
   */
  public static SealKeys read(Path file) {
    try {
      requireClosed(file);
      JsonNode root = JSON.readTree(Files.readString(file));
      Map<Use, KeysetHandle> keysets = new EnumMap<>(Use.class);
      for (Use use : Use.values()) {
        String keyset = root.path(use.member()).toString();
        keysets.put(
            use, TinkJsonProtoKeysetFormat.parseKeyset(keyset, InsecureSecretKeyAccess.get()));
      }
      return new SealKeys(keysets);
    } catch (JsonProcessingException | GeneralSecurityException e) {
      // Without the cause, whose message may contain a part of the file.
      throw new SealKeysException(
          "the file " + file + " has no keys as ./asyncflow seal makes them");
    } catch (IOException e) {
      throw new SealKeysException(
          "the file with the keys, " + file + ", cannot be read: " + reasonOf(e), e);
    }
  }

  private static void requireClosed(Path file) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view != null && !PERMITTED.containsAll(view.readAttributes().permissions())) {
      throw new SealKeysException(
          "others than its owner and its group can use the file with the keys, "
              + file
              + ", or its group can change it; permit no more than chmod 640 does");
    }
  }

  /**
   * Writes a new file that only its owner can read.
   *
   * @throws SealKeysException if the file exists: its keys would be lost, and with them all that
   *     they have sealed; or if it cannot be written
   */
  public void create(Path file) {
    try {
      write(file);
    } catch (FileAlreadyExistsException e) {
      throw new SealKeysException(file + " exists already, and its keys may be in use", e);
    } catch (IOException e) {
      throw new SealKeysException(file + " cannot be written: " + reasonOf(e), e);
    }
  }

  /**
   * Changes the keys in a file, one change after the other: a second process waits for the first.
   * It locks a file beside this one, which stays. A reader gets the old keys or the new ones, also
   * after a crash. The same users may read the file as before.
   *
   * @throws SealKeysException as {@link #read}, or what {@code change} throws, or if the file
   *     cannot be written; nothing is changed then
   */
  public static synchronized void change(Path file, UnaryOperator<SealKeys> change) {
    read(file); // says what is wrong with it, before anything is written beside it
    try {
      Path real = file.toRealPath();
      try (FileChannel channel =
              FileChannel.open(
                  real.resolveSibling(real.getFileName() + ".lock"),
                  Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                  PosixFilePermissions.asFileAttribute(OWNER_ONLY));
          FileLock lock = channel.lock()) {
        change.apply(read(file)).replace(file);
      }
    } catch (IOException e) {
      throw new SealKeysException(file + " cannot be replaced: " + reasonOf(e), e);
    }
  }

  private void replace(Path file) {
    try {
      Path real = file.toRealPath();
      Path unfinished = real.resolveSibling(real.getFileName() + ".unfinished");
      Files.deleteIfExists(unfinished);
      write(unfinished);
      openTo(Files.getFileAttributeView(real, PosixFileAttributeView.class), unfinished);
      Files.move(unfinished, real, StandardCopyOption.ATOMIC_MOVE);
      sync(real.getParent());
    } catch (IOException e) {
      throw new SealKeysException(file + " cannot be replaced: " + reasonOf(e), e);
    }
  }

  /** The new file is on disk before it gets a name that counts. */
  private void write(Path file) throws IOException {
    byte[] json = toJson().getBytes(StandardCharsets.UTF_8);
    try (FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
      Channels.newOutputStream(channel).write(json);
      channel.force(true);
    }
    sync(file.toAbsolutePath().getParent());
  }

  private static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Gives a file the group and the permissions of another one. */
  private static void openTo(PosixFileAttributeView others, Path file) throws IOException {
    PosixFileAttributes before = others.readAttributes();
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (!view.readAttributes().group().equals(before.group())) {
      view.setGroup(before.group());
    }
    view.setPermissions(before.permissions());
  }

  private static String reasonOf(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "there is no such file or directory";
    }
    return e instanceof AccessDeniedException ? "this user may not" : e.toString();
  }

  private String toJson() throws IOException {
    ObjectNode root = JSON.createObjectNode();
    try {
      for (Map.Entry<Use, KeysetHandle> keyset : keysets.entrySet()) {
        String json =
            TinkJsonProtoKeysetFormat.serializeKeyset(
                keyset.getValue(), InsecureSecretKeyAccess.get());
        root.set(keyset.getKey().member(), JSON.readTree(json));
      }
    } catch (GeneralSecurityException e) {
      throw new IOException("the keys cannot be written", e);
    }
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
  }

  /** What the keys of a use do. */
  <T> T primitive(Use use, Class<T> type) {
    try {
      return keysets.get(use).getPrimitive(RegistryConfiguration.get(), type);
    } catch (GeneralSecurityException e) {
      throw new SealKeysException("the keys for " + use.member() + " are of another kind", e);
    }
  }

  /** The number of the key that seals. */
  long primaryKey(Use use) {
    return Integer.toUnsignedLong(keysets.get(use).getPrimary().getId());
  }

  /** Whether one of the keys has this number. */
  boolean has(Use use, long key) {
    KeysetHandle keys = keysets.get(use);
    for (int i = 0; i < keys.size(); i++) {
      if (Integer.toUnsignedLong(keys.getAt(i).getId()) == key) {
        return true;
      }
    }
    return false;
  }

  /** Without the keys. */
  @Override
  public String toString() {
    return "SealKeys[" + primaryKey(Use.TEXTS) + "]";
  }
}
