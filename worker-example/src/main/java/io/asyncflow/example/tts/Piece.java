package io.asyncflow.example.tts;

/**
 * A passage that was spoken; what a child returns.
 *
 * @param sound a reference to its WAV
 * @param paragraph which one it is of, from 1
 * @param frames how long it is
 */
record Piece(String sound, int paragraph, long frames) {}
