/**
 * The operators' web pages. They are rendered on the server and work without a script.
 *
 * <p>The module knows the records of flow-api and {@link io.asyncflow.console.OperatorClient}, and
 * nothing of the server: whatever a page shows or does is a call of the API, in the name of the
 * operator who looks at it, with that operator's verbs and scope. From the top, a package uses what
 * stands below it:
 *
 * <ol>
 *   <li>{@code autoconfigure}: puts the pages into a Spring Boot application that has an {@code
 *       OperatorClient}
 *   <li>{@code page}: a room for each kind of page, with its controller and what its templates show
 *   <li>{@code frame}: what is the same on every page: who looks at it, words, preferences, the
 *       error pages, and the rendering
 *   <li>{@code asset}: styles, scripts and icons
 *   <li>{@code chart}: numbers over time as shapes
 *   <li>{@code json} and {@code text}: values as an operator reads them
 * </ol>
 *
 * <p>The templates lie in {@code src/main/jte}: {@code page} has one for each page, {@code part}
 * the components, {@code frame} what surrounds them. The build makes a Java class of each.
 */
package io.asyncflow.console;
