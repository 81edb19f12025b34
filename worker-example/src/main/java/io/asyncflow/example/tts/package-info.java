/**
 * A text becomes speech, as one job that runs on any number of workers.
 *
 * <pre>
 *   split        cuts the text, refuses what cannot be spoken
 *     ↓
 *   synthesize   speaks one passage on a slot, stores its sound     a child each, side by side
 *     ↓
 *   merge        joins the sounds to one WAV, and one MP3
 * </pre>
 *
 * <h2>What is true when a worker dies</h2>
 *
 * A run may be given up at any line: the process is killed, or it was so slow that its lease went
 * to another worker, which does the same work while the slow one still speaks. That is harmless:
 * each run stores under a key of its own, and what counts is the reference in a child's result, of
 * which the server accepts one a child. Nobody looks into the store to find out what is done.
 */
package io.asyncflow.example.tts;
