package io.asyncflow.example.tts;

/**
 * What one run of {@code synthesize} spoke; its sound is the WAV of the same name.
 *
 * @param name of its two files, without the extension
 * @param previous the name of the piece before it; {@code null} for the first
 * @param from its first passage in the script
 * @param to the passage after its last
 * @param frames how long it is
 */
record Piece(String name, String previous, int from, int to, long frames) {}
