/** White space of a text that stands within a line. */

/** Without white space around it, other white space as one blank. */
export const fold = (text: string): string => foldWithin(text.trim());

/** As {@link fold}; a blank where there is white space at the beginning or the end. */
export const foldWithin = (text: string): string =>
  // A single space needs no replacement: most white space within a text is that.
  text.replace(/ \s+|[^\S ]\s*/g, ' ');
