package io.asyncflow.console.browser;

import org.junit.jupiter.api.Tag;

/** All pages in windows as narrow as a telephone. */
@Tag("browser")
class NarrowPagesIT extends PageLooks {

  NarrowPagesIT() {
    super(NARROW);
  }
}
