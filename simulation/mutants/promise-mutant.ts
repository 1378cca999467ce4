import type { InvariantName } from '../worlds/spec.ts';
import type { Edit } from './operators/operator.ts';

/** A change of the program that breaks a promise, and who must notice it. */
export interface PromiseMutant {
  /** The promise, as a sentence; several mutants may break one. */
  readonly promise: string;
  readonly what: string;
  readonly file: string;
  /** Each text stands once in the file. */
  readonly edits: readonly (readonly [text: string, instead: string])[];
  /** Worlds must break one of these; none: a test file must fail. */
  readonly breaks?: readonly InvariantName[];
  /** Those whose hosts refuse the crawler, are behind a login or a password, or those that render pages. Default: those that recrawl. */
  readonly worlds?: 'refused' | 'members' | 'locked' | 'rendered';
  readonly tests?: readonly string[];
}

/** Throws if a text does not stand in the source once: the program has changed, and the mutant must follow. */
export const editsOf = ({ what, file, edits }: PromiseMutant, source: string): Edit[] =>
  edits.map(([text, instead]) => {
    const start = source.indexOf(text);
    if (start < 0 || source.indexOf(text, start + 1) >= 0)
      throw new Error(`Expected ${JSON.stringify(text)} once in ${file}, for the mutant: ${what}`);
    return { start, end: start + text.length, text: instead };
  });
