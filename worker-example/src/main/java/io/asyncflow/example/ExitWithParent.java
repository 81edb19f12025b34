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
 * <p>The launcher keeps our standard input open and writes nothing. However it ends, kill -9
 * included, the system closes its end of the pipe; no signal and no process id is as reliable.
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
      log.debug("Standard input failed, which is an end of it too", e);
    }
    log.info("The launcher is gone; stopping.");
    System.exit(0);
  }
}
