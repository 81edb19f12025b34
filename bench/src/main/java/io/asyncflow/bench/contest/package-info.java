/**
 * A contest: contenders do the same work in turns.
 *
 * <pre>
 *   Contest     some work, and the contenders that do it; the first is the yardstick
 *   Contender   one way of doing it
 *   Measure     what makes a result a good one
 *   Referee     a warm-up round that is thrown away, then rounds A B A B; watches the CPU, and has
 *               a round repeated in which somebody else took more than a third of a core
 *   Standings   what a contest came to
 * </pre>
 */
package io.asyncflow.bench.contest;
