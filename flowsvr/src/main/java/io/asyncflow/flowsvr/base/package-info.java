/**
 * What stands under everything: the database with its clock, transactions and retries, Redis,
 * threads, metrics ({@code system}); periodic duties and the election of the server that runs some
 * of them ({@code duty}, {@code leader}); counts of what happened ({@code pulse}).
 *
 * <p>Nothing here knows a task. Clocks are read, and connections opened, only here.
 */
package io.asyncflow.flowsvr.base;
