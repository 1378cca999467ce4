/**
 * Parses a secret that is JSON. Returns undefined for text that is none: the error of `JSON.parse` shows a part of the text, and so
 * would end in a log.
 */
export function secretJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
