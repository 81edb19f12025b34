/**
 * The pages, a room for each kind. A controller makes the calls that a page needs, and hands their
 * answers to its template; a form names an act of an {@link ActTable}, which is one call.
 */
package io.asyncflow.console.page;
