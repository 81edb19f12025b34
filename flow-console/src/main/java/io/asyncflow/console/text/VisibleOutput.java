package io.asyncflow.console.text;

import gg.jte.TemplateOutput;
import gg.jte.html.OwaspHtmlTemplateOutput;
import java.util.Set;

/**
 * Escapes what templates write, and shows unseen characters in attributes by their numbers, as
 * {@code strange.jte} does in texts: a tooltip and a label are read as well.
 */
public final class VisibleOutput extends OwaspHtmlTemplateOutput {

  /** What is sent back, copied or followed as it is. */
  private static final Set<String> EXACT =
      Set.of("value", "href", "action", "formaction", "src", "data-copy");

  private boolean isRead;

  public VisibleOutput(TemplateOutput output) {
    super(output);
  }

  @Override
  public void setContext(String tagName, String attributeName) {
    super.setContext(tagName, attributeName);
    isRead = attributeName != null && !EXACT.contains(attributeName);
  }

  @Override
  public void writeUserContent(String value) {
    super.writeUserContent(isRead && value != null ? Strange.visible(value) : value);
  }
}
