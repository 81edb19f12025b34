/** The record of acts: who did what by hand, and what it changed. */
package io.asyncflow.api.act;
