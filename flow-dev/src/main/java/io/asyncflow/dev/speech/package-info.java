/**
 * A text that the example worker speaks, from the file with the text to the WAV, as any client of
 * flowsvr sees it: by HTTP alone.
 */
package io.asyncflow.dev.speech;
