/**
 * When a schedule fires: at the times of a cron expression in a time zone, or every so many
 * milliseconds; what a plan makes of the fire times that have come ({@code FirePlan}), and what a
 * plan, a save, a pause and the end of a run change of where a schedule stands ({@code
 * FirePosition}). Pure functions, as the rest of the rules: the package reads no clock.
 */
package io.asyncflow.rules.schedule;
