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
import { brotliDecompressSync } from 'node:zlib';
import { decodeOwnText, type OwnText } from '../../../shared/core/alike/own-text.ts';
import { SKETCH_BYTES } from '../../../shared/core/recrawl/text-sketch.ts';

export interface LabelledPair {
  /** `tune`: parameters may be chosen by it. `judge`: by these the result is judged, and nothing is chosen. */
  readonly half: 'tune' | 'judge';
  readonly site: string;
  /** A reader finds nearly the same in both. */
  readonly isSame: boolean;
  /** Paths of the pages. */
  readonly a: string;
  readonly b: string;
  readonly why: string;
}

export interface LabelledText {
  /** Undefined: the page is too short to be compared. */
  readonly sketch: Uint8Array | undefined;
  readonly text: OwnText;
}

const linesOf = (name: string): string[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n');

export const readPairs = (): LabelledPair[] =>
  linesOf('./labelled-pairs.tsv').map((line) => {
    const [half, site, label, a, b, why] = line.split('\t') as string[];
    return { half: half as 'tune', site: site!, isSame: label === 'same', a: a!, b: b!, why: why! };
  });

/** Paths of the pages of a site by which its common blocks are known. */
export const readSample = (site: string): string[] =>
  linesOf('./labelled-sites.tsv').flatMap((line) => {
    const [name, path] = line.split('\t') as [string, string];
    return name === site ? [path] : [];
  });

/** `write-texts.ts` makes it: a line of JSON for each page with the length of its bytes, an empty line, the bytes. */
export const TEXTS = new URL('./labelled-texts.br', import.meta.url);

export interface TextEntry {
  readonly site: string;
  readonly path: string;
  readonly bytes: number;
  /** The bytes begin with a sketch. */
  readonly hasSketch: boolean;
}

/** The texts by site and path, with a space between. */
export function readTexts(): Map<string, LabelledText> {
  const all = brotliDecompressSync(readFileSync(TEXTS));
  const end = all.indexOf('\n\n');
  const texts = new Map<string, LabelledText>();
  let at = end + 2;
  for (const line of all.toString('utf8', 0, end).split('\n')) {
    const { site, path, bytes, hasSketch } = JSON.parse(line) as TextEntry;
    const textAt = at + (hasSketch ? SKETCH_BYTES : 0);
    texts.set(`${site} ${path}`, {
      sketch: hasSketch ? new Uint8Array(all.subarray(at, textAt)) : undefined,
      text: decodeOwnText(all.subarray(textAt, at + bytes)),
    });
    at += bytes;
  }
  return texts;
}
