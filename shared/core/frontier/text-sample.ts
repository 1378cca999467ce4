/**
 * Estimates how many texts of a stream are new, in little memory: a sample of the distinct texts met
 * (distinct sampling: Gibbons, VLDB 2001). A text belongs to the sample by its hash alone, each time that it
 * comes, so that texts in the sample repeat as often as all do. When the sample grows too large, every second
 * text leaves it by the next bit.
 */

/** Texts kept, unless the caller names another number. */
const MAX_TEXTS = 8;
const BITS = 28;

export interface TextSample {
  /** The sample has one text in 2 to the power of this. */
  level: number;
  /** The hashes of those met, without the `level` low bits, which are 0. */
  texts: number[];
}

/**
 * Adds a text by its hash, mixed well (`mixHash`). True: new; false: met before; undefined: not in the
 * sample, so nothing is known of it.
 */
export function sampleText(sample: TextSample, mixed: number, maxTexts = MAX_TEXTS): boolean | undefined {
  const hash = mixed >>> (32 - BITS);
  if ((hash & ((1 << sample.level) - 1)) !== 0) return undefined;
  const text = hash >>> sample.level;
  if (sample.texts.includes(text)) return false;
  sample.texts.push(text);
  while (sample.texts.length > maxTexts) {
    sample.level++;
    sample.texts = sample.texts.filter((kept) => kept % 2 === 0).map((kept) => kept >>> 1);
  }
  return true;
}

/** About how many distinct texts have been met. */
export const distinctTexts = ({ level, texts }: Readonly<TextSample>): number => texts.length * 2 ** level;
