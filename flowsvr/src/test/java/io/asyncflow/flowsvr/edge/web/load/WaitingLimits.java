package io.asyncflow.flowsvr.edge.web.load;

/** Makes limits of waiting requests for tests. */
public final class WaitingLimits {

  private WaitingLimits() {}

  /** So many requests of each kind and name, and of each kind and key. */
  public static WaitingRequests ofEach(int most) {
    return new WaitingRequests(new Connections(-1), most, most, most, most, most);
  }
}
