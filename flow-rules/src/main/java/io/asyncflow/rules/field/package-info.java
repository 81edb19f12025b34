/**
 * What the fields of a call may hold: the limits, how each field is checked, and how a call is
 * refused. The server's forms and the fake server read with the same classes, so that both refuse
 * the same with the same words.
 */
package io.asyncflow.rules.field;
