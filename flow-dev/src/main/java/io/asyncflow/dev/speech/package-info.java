/**
 * Speech jobs of the example worker, from the text file to the WAV, by HTTP as any client of
 * flowsvr.
 */
package io.asyncflow.dev.speech;
