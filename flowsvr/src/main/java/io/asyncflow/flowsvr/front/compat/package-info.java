/**
 * The dialects of old clients: those of the public projects in Java, Go and C++ from which
 * Asyncflow comes. Off by default; {@code flow.compat.legacy-paths} and {@code
 * flow.compat.go-paths} switch them on.
 *
 * <p>{@code Dialect} is the table of them: a row for each, with its paths, the names of its
 * members, and an {@code OldValue} for each that has another form. {@code OldPaths} maps the paths
 * to the controller methods of the API, so that an old call has the rules, the verbs, the scopes
 * and the limits of its call of the API. {@code OldRequests} changes what these methods read,
 * {@code OldAnswers} what they answer. docs/old-clients.md describes the dialects. There are no
 * rules about tasks here.
 */
package io.asyncflow.flowsvr.front.compat;
