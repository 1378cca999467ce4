/** Causes as they are stored: as data. */
import type { Cause } from './cause.ts';
import { CAUSE_CODES } from './cause-text.ts';

const CODES: ReadonlySet<string> = new Set(CAUSE_CODES);

/** As one line of JSON. */
export const encodeCause = (cause: Cause): string => JSON.stringify(cause);

/** Reads what {@link encodeCause} wrote. Text that it did not write becomes a cause with the code `other`. */
export function decodeCause(text: string): Cause {
  try {
    return knownCause(JSON.parse(text));
  } catch {
    return { code: 'other', text };
  }
}

/** A stored cause. A code that only a newer version of the program knows becomes `other`. */
export const knownCause = (cause: Cause): Cause =>
  CODES.has(cause.code) ? cause : { code: 'other', text: JSON.stringify(cause) };
