package io.asyncflow.example.lark;

/** The way out: put a real messenger behind it. */
interface Messages {

  /**
   * Sends a message.
   *
   * @param id the same in every attempt to send this message, so that a receiver can drop the
   *     second copy which a worker that died before its report leaves behind
   */
  void send(String id, Message message);
}
