/**
 * The dialect of old clients: those of the public Java projects from which Asyncflow comes. Off by
 * default; {@code flow.compat.legacy-paths=true} switches it on.
 *
 * <p>{@code OldPaths} maps the paths of such clients to the controller methods of the API, so that
 * an old call has the rules, the verbs, the scopes and the limits of its call of the API. {@code
 * OldRequests} changes what these methods read, {@code OldAnswers} what they answer. {@code
 * OldCall} lists the calls, and docs/old-clients.md describes them. There are no rules about tasks
 * here.
 */
package io.asyncflow.flowsvr.compat;
