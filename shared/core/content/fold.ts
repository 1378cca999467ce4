/** White space of a text that stands within a line. */

/** Without white space around it, other white space as one blank. */
export const fold = (text: string): string => foldWithin(text.trim());

/** As {@link fold}; a blank where there is white space at the beginning or the end. */
export const foldWithin = (text: string): string =>
  // A single space needs no replacement: most white space within a text is that, and one look behind it takes less time than an
  // alternative for it.
  text.replace(/\s(?:\s+|(?<! ))/g, ' ');
