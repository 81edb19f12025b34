/**
 * When a schedule fires: at the times of a cron expression in a time zone, or every so many
 * milliseconds; and what a save, a pause and the end of a run change of that. Pure functions, as
 * the rest of the rules: the package reads no clock.
 */
package io.asyncflow.rules.schedule;
