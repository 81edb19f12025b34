/**
 * What the fields of a call may hold: the limits, how each field is checked, and how a call is
 * refused. The server's forms, the fake server and the outbox of applications read with the same
 * classes, so that all refuse the same with the same words.
 */
package io.asyncflow.rules.field;
