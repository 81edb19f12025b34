package io.asyncflow.example.tts;

/**
 * The context of a {@code tts} task as its creator writes it.
 *
 * @param textFile the text to speak, UTF-8, in the input directory
 * @param outputDir where to write, in the output directory; {@code null} for that directory itself
 */
record SpeechRequest(String textFile, String outputDir) {}
