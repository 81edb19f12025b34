/**
 * A text becomes speech, as one job that runs on any number of workers.
 *
 * <pre>
 *   split        cuts the text, refuses unspeakable texts
 *     ↓
 *   synthesize   speaks one passage on a slot, stores its sound     one child each, in parallel
 *     ↓
 *   merge        joins the sounds to one WAV, and one MP3
 * </pre>
 *
 * <h2>Failures of workers</h2>
 *
 * A run may be lost at any line: its process is killed, or its lease expires and another worker
 * does the same work while the slow one still speaks. That is harmless: each run stores under its
 * own key, and only the reference in a child's result counts, of which the server accepts one for
 * each child. No stage reads the store to find out what is done.
 */
package io.asyncflow.example.tts;
