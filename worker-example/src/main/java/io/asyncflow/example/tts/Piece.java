package io.asyncflow.example.tts;

/**
 * A spoken passage: the result of a child.
 *
 * @param sound a reference to its WAV
 * @param paragraph the number of its paragraph, from 1
 * @param frames its length in frames
 */
record Piece(String sound, int paragraph, long frames) {}
