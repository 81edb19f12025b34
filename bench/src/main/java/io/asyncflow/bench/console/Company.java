package io.asyncflow.bench.console;

/** What goes on beside holds. */
public interface Company {

  /** As the tables call it. */
  String name();

  /** What has been seen of it so far; empty for nothing. */
  String seen();

  /** Begins; whoever closes the result ends it, and learns what went wrong. */
  AutoCloseable begin() throws Exception;

  /** Nothing goes on. */
  static Company none() {
    return new Company() {
      @Override
      public String name() {
        return "nobody looks";
      }

      @Override
      public String seen() {
        return "";
      }

      @Override
      public AutoCloseable begin() {
        return () -> {};
      }
    };
  }
}
