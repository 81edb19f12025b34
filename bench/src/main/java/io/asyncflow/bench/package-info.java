/**
 * Head to head: the same work done in several ways, in one run, on one database.
 *
 * <p>Machines are noisy, so a figure alone means nothing; what counts is the ratio to the yardstick
 * that ran beside it. Hence the anatomy:
 *
 * <pre>
 *   Bench      main class: options → test bed → contests → report
 *   TestBed    one durable engine, one flowsvr from its real jar, and what talks to them
 *   Contest    some work, and the contenders that do it; the first is the yardstick
 *   Contender  one way of doing it: raw JDBC, or flowsvr and the SDK; peers will be more of these
 *   Referee    a warm-up round that is thrown away, then rounds A B A B; watches the CPU, and has
 *              a round repeated in which somebody else took more than a third of a core
 *   Report     medians, and the ratios last
 * </pre>
 */
package io.asyncflow.bench;
