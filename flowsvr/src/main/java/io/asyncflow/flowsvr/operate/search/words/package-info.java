/**
 * What a search asks for: the words of {@code q}, and the filter that they make. Pure.
 *
 * <p>A word that is driven by other tables than those of the tasks is added in {@code SearchTerms},
 * and its part of a row's test in {@code TaskFilter}.
 */
package io.asyncflow.flowsvr.operate.search.words;
