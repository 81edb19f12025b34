package io.asyncflow.flowsvr.access.key;

/**
 * An event, published after the commit: keys were made or ended.
 *
 * @param isFromAfar whether another server has done it
 */
public record AccessKeysChanged(boolean isFromAfar) {

  /** A change on this server. */
  public static final AccessKeysChanged HERE = new AccessKeysChanged(false);
}
