package io.asyncflow.flowsvr.operate.search.words;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.operate.search.words.SearchWords.Word;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.TaskLimits;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Collects the words of a search into a {@link TaskFilter}. Words of one name are alternatives,
 * words of different names must all fit. Pure; not thread-safe.
 */
public final class SearchTerms {

  /** The most alternatives of one name. */
  public static final int MOST_VALUES = 100;

  private static final int MAX_TEXT = 200;
  private static final String LIST = ":";
  private static final String BOUNDS = "<>";

  /** What a name stands for. */
  private record Term(String operators, String form, Function<Word, String> take) {}

  private final Map<String, Term> terms = new TreeMap<>();
  private final long now;

  private final Set<TaskId> ids = new LinkedHashSet<>();
  private final Set<TaskType> types = new LinkedHashSet<>();
  private final Set<TaskStatus> statuses = new LinkedHashSet<>();
  private final Set<String> stages = new LinkedHashSet<>();
  private final Set<String> users = new LinkedHashSet<>();
  private final Set<String> workers = new LinkedHashSet<>();
  private final Set<String> texts = new LinkedHashSet<>();
  private final Set<String> bounds = new LinkedHashSet<>();
  private Long jobId;
  private Span created = Span.ALWAYS;
  private Span due = Span.ALWAYS;
  private Integer retriesAbove;
  private Integer retriesBelow;

  /**
   * @param now epoch ms by the database's clock
   */
  public SearchTerms(long now) {
    this.now = now;
    each("type", types, TaskType::parse, "is not a valid task type");
    each(
        "status",
        statuses,
        SearchTerms::status,
        "is not a status: waiting, executing, success," + " failed, cancelled or paused");
    each("stage", stages, text -> ofLength(text, TaskLimits.STAGE), "is too long for a stage");
    each("user", users, text -> ofLength(text, TaskLimits.USER_ID), "is too long for a user");
    each("worker", workers, SearchTerms::worker, "is no worker id, or a beginning of one and *");
    each("id", ids, TaskId::parse, "is not a task id");
    each("text", texts, text -> ofLength(text, MAX_TEXT), "is longer than 200 characters");
    terms.put("job", new Term(LIST, "job:id", this::job));
    terms.put("created", new Term(LIST, "created:2026-11-20..2026-11-21", this::created));
    terms.put("age", new Term(BOUNDS, "age>10m", this::age));
    terms.put("due", new Term(LIST + BOUNDS, "due<1h", this::due));
    terms.put("retries", new Term(BOUNDS, "retries>2", this::retries));
  }

  /**
   * Takes a word.
   *
   * @return what is wrong with it; {@code null} if nothing is
   */
  public String add(Word word) {
    if (word.name().isEmpty()) {
      String value = word.values().get(0);
      boolean isId = TaskId.parse(value).isPresent();
      return add(new Word(isId ? "id" : "text", ':', List.of(value)));
    }
    Term term = terms.get(word.name());
    if (term == null) {
      String known = String.join(", ", terms.keySet());
      return "the word '" + word.name() + "' is not known; known are " + known;
    }
    if (term.operators().indexOf(word.operator()) < 0) {
      return word.name() + " is written as in " + term.form();
    }
    return term.take().apply(word);
  }

  /** Takes several values of a name. */
  public String add(String name, List<String> values) {
    return values.isEmpty() ? null : add(new Word(name, ':', values));
  }

  public void addCreated(Span span) {
    created = created.and(span);
  }

  public void addDue(Span span) {
    due = due.and(span);
  }

  public TaskFilter filter() {
    return new TaskFilter(
        ids,
        jobId,
        types,
        statuses,
        stages,
        users,
        workers.isEmpty() ? Names.ALL : Names.of(workers),
        texts,
        created,
        due,
        retriesAbove,
        retriesBelow);
  }

  private <T> void each(
      String name, Set<T> into, Function<String, Optional<T>> parser, String otherwise) {
    Function<Word, String> take =
        word -> {
          for (String value : word.values()) {
            Optional<T> parsed = value.isEmpty() ? Optional.empty() : parser.apply(value);
            if (parsed.isEmpty()) {
              return name + ": '" + shown(value) + "' " + otherwise;
            }
            into.add(parsed.get());
          }
          return into.size() > MOST_VALUES ? name + " has over " + MOST_VALUES + " values" : null;
        };
    terms.put(name, new Term(LIST, name + ":value", take));
  }

  private static String wrong(Word word, String why) {
    return word.name() + ": '" + shown(word.values().get(0)) + "' " + why;
  }

  private static String shown(String value) {
    int most = Math.min(value.length(), 40);
    boolean cutsAPair = most < value.length() && Character.isHighSurrogate(value.charAt(most - 1));
    return value.substring(0, cutsAPair ? most - 1 : most);
  }

  private static Optional<TaskStatus> status(String text) {
    String name = text.toUpperCase(Locale.ROOT);
    return Arrays.stream(TaskStatus.values()).filter(s -> s.name().equals(name)).findFirst();
  }

  private static Optional<String> worker(String text) {
    int star = text.indexOf('*');
    boolean isRight = (star < 0 || star == text.length() - 1) && !text.equals("*");
    return isRight ? ofLength(text, TaskLimits.WORKER_ID + (star < 0 ? 0 : 1)) : Optional.empty();
  }

  private static Optional<String> ofLength(String text, int most) {
    return text.codePointCount(0, text.length()) <= most ? Optional.of(text) : Optional.empty();
  }

  private String job(Word word) {
    String id = word.values().get(0);
    if (word.values().size() > 1 || jobId != null && !id.equals("" + jobId)) {
      return "job takes one job";
    }
    jobId = PageFields.number(id).orElse(null);
    return jobId == null ? wrong(word, "is no job id") : null;
  }

  private String created(Word word) {
    return span(word, this::addCreated);
  }

  private String due(Word word) {
    return word.operator() == ':' ? span(word, this::addDue) : offset(word, now, 1, this::addDue);
  }

  /** The older, the earlier created. */
  private String age(Word word) {
    return offset(word, now, -1, this::addCreated);
  }

  private String span(Word word, Consumer<Span> take) {
    if (!bounds.add(word.name() + ":") || word.values().size() > 1) {
      return word.name() + ": takes one time or one stretch of time";
    }
    Optional<Span> span = SearchTimes.span(word.values().get(0));
    if (span.isEmpty()) {
      return wrong(
          word, "is no time; write 2026-11-20, 2026-11-20T12:30, or two with .. between them");
    }
    take.accept(span.get());
    return null;
  }

  private String offset(Word word, long base, int sign, Consumer<Span> take) {
    String why = refuseTwice(word);
    if (why != null) {
      return why;
    }
    OptionalLong duration = SearchTimes.duration(word.values().get(0));
    if (duration.isEmpty()) {
      return wrong(word, "is no duration such as 90s, 10m, 1h or 2d");
    }
    long moment = base + sign * duration.getAsLong();
    boolean isLater = (word.operator() == '>') == (sign > 0);
    take.accept(isLater ? Span.from(moment + 1) : Span.before(moment));
    return null;
  }

  private String retries(Word word) {
    String why = refuseTwice(word);
    if (why != null) {
      return why;
    }
    String text = word.values().get(0);
    if (!text.matches("[0-9]{1,9}")) {
      return wrong(word, "is no number");
    }
    if (word.operator() == '>') {
      retriesAbove = Integer.valueOf(text);
    } else {
      retriesBelow = Integer.valueOf(text);
    }
    return null;
  }

  private String refuseTwice(Word word) {
    return !bounds.add(word.name() + word.operator()) || word.values().size() > 1
        ? word.name() + word.operator() + " is given twice"
        : null;
  }

  public void addRetriesMin(int min) {
    retriesAbove = min - 1;
  }
}
