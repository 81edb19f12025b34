package io.asyncflow.example.lark;

/** Sends messages; implement it with a real messenger. */
interface Messages {

  /**
   * Sends a message.
   *
   * @param id the same in every attempt to send this message, so that a receiver can drop
   *     duplicates, which occur when a worker dies before its report
   */
  void send(String id, Message message);
}
