/**
 * 316 pairs of pages of three real sites, read and labelled by hand: Rust's documentation (1.95.0 and a nightly of 1.97.0), the
 * Debian Administrator's Handbook (11.20220922, all languages), Java's API (OpenJDK 17). The pairs were drawn in strata of the exact share of runs of
 * four words that both texts have in common, most of them between 0.5 and 0.95, where it is hardest to say.
 *
 * `same`: who has read one finds in the other nothing but other words of the frame, names, numbers, versions or additions, which are
 * together about a twelfth of its own text or less; the order of paragraphs does not count. `other`: everything else, and any page
 * whose description of its subject is another one. Even pairs are for tuning, odd ones for judging.
 */
import { readFileSync } from 'node:fs';

export interface LabelledPair {
  /** `tune`: parameters may be chosen by it. `judge`: by these the result is judged, and nothing is chosen. */
  readonly half: 'tune' | 'judge';
  readonly site: string;
  /** A reader finds nearly the same in both. */
  readonly isSame: boolean;
  /** Paths of the pages. */
  readonly a: string;
  readonly b: string;
  /** Undefined: the page is too short to be compared. */
  readonly sketches: readonly [Uint8Array | undefined, Uint8Array | undefined];
  readonly why: string;
}

const linesOf = (name: string): string[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n');

const bytesIn = (text: string) => (text === '-' ? undefined : new Uint8Array(Buffer.from(text, 'base64')));
const textOf = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes).toString('base64') : '-');

export const readPairs = (): LabelledPair[] =>
  linesOf('./labelled-pairs.tsv').map((line) => {
    const [half, site, label, a, b, first, second, why] = line.split('\t') as string[];
    const sketches = [bytesIn(first!), bytesIn(second!)] as const;
    return { half: half as 'tune', site: site!, isSame: label === 'same', a: a!, b: b!, sketches, why: why! };
  });

export const formatPair = ({ half, site, isSame, a, b, sketches, why }: LabelledPair): string =>
  [half, site, isSame ? 'same' : 'other', a, b, textOf(sketches[0]), textOf(sketches[1]), why].join('\t');

/** Paths of the pages of a site by which its common blocks are known. */
export const readSample = (site: string): string[] =>
  linesOf('./labelled-sites.tsv').flatMap((line) => {
    const [name, path] = line.split('\t') as [string, string];
    return name === site ? [path] : [];
  });
