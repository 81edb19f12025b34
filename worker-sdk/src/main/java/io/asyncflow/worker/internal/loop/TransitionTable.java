package io.asyncflow.worker.internal.loop;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The table of all transitions of a state machine; any other transition is a bug and throws. */
public final class TransitionTable<S extends Enum<S>, E extends Enum<E>> {

  public record Transition<S, E>(S from, E on, S to) {}

  /** Receives each transition, in the thread that made it. */
  @FunctionalInterface
  public interface Listener<S, E> {
    void changed(Transition<S, E> transition);

    /** A listener that does nothing; for production. */
    static <S, E> Listener<S, E> none() {
      return transition -> {};
    }
  }

  private record Edge<S, E>(S from, E on) {}

  private final Map<Edge<S, E>, Transition<S, E>> transitions = new LinkedHashMap<>();

  @SafeVarargs
  public TransitionTable(Transition<S, E>... transitions) {
    for (Transition<S, E> transition : transitions) {
      Edge<S, E> edge = new Edge<>(transition.from(), transition.on());
      if (this.transitions.put(edge, transition) != null) {
        throw new IllegalArgumentException("two transitions from " + edge);
      }
    }
  }

  public Transition<S, E> take(S from, E on) {
    Transition<S, E> transition = transitions.get(new Edge<>(from, on));
    if (transition == null) {
      throw new IllegalStateException(on + " must not happen in " + from);
    }
    return transition;
  }

  /** All transitions, in the order of the table. */
  public Collection<Transition<S, E>> all() {
    return List.copyOf(transitions.values());
  }
}
