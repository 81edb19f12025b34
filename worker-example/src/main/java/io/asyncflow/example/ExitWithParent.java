package io.asyncflow.example;

import java.io.IOException;
import java.io.OutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Component;

/**
 * Ends this process, gracefully, when the launcher that started it is gone.
 *
 * <p>The launcher keeps this process's standard input open and writes nothing. However the launcher
 * ends, even by kill -9, the system closes its end of the pipe; this is more reliable than signals
 * or process ids.
 */
@Component
@ConditionalOnBooleanProperty("example.exit-with-parent")
class ExitWithParent implements ApplicationRunner {

  private static final Logger log = LoggerFactory.getLogger(ExitWithParent.class);

  @Override
  public void run(ApplicationArguments args) {
    Thread watch = new Thread(this::awaitEndOfInput, "exit-with-parent");
    watch.setDaemon(true);
    watch.start();
  }

  private void awaitEndOfInput() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      log.debug("Standard input failed, which counts as its end", e);
    }
    log.info("The launcher is gone; stopping.");
    System.exit(0);
  }
}
