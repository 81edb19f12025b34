package io.asyncflow.example.lark;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Logs messages instead of sending them. */
@Component
class LoggedMessages implements Messages {

  private static final Logger log = LoggerFactory.getLogger(LoggedMessages.class);

  @Override
  public void send(String id, Message message) {
    log.info(
        "Message {} from {} to {}: {}",
        id,
        oneLine(message.fromAddr()),
        oneLine(message.toAddr()),
        oneLine(message.body()));
  }

  /** A client's line break must not forge a line of our log. */
  private static String oneLine(String text) {
    return text == null ? "nobody" : text.replaceAll("\\p{Cntrl}", " ");
  }
}
