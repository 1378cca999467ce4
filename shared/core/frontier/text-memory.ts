/** Which texts the pages of one group of URLs have had, in a few numbers. */

import { mixHash } from '../base/mix-hash.ts';
import { SIZES, type Sizes } from '../base/sizes.ts';
import { sampleText, type TextSample } from './text-sample.ts';

/** To be changed. */
export interface TextMemory extends TextSample {
  /** 16 bits of each of the last distinct texts, the last one first. */
  readonly seen: number[];
  /** The share of new texts among those that are not the last ones: a moving mean over the sample. */
  novel: number;
}

/** As JSON. What is missing is as of a memory without texts. */
export interface KeptTextMemory {
  readonly seen?: readonly number[];
  readonly novel?: number;
  readonly level?: number;
  readonly texts?: readonly number[];
}

const MAX_SEEN = 8;

/**
 * Returns the worth of a text, 0 to 1, and remembers it. 0 for one of the last texts. For most other texts it
 * is not known whether they are new: they get the mean of those for which it is.
 */
export function worthOfText(memory: TextMemory, textHash: number, { minTrapWindow }: Sizes = SIZES): number {
  const mixed = mixHash(textHash);
  const { seen } = memory;
  const short = mixed & 0xffff;
  const at = seen.indexOf(short);
  if (at >= 0) seen.splice(at, 1);
  seen.unshift(short);
  if (at >= 0) return 0;
  if (seen.length > MAX_SEEN) seen.pop();
  const isNew = sampleText(memory, mixed);
  if (isNew !== undefined) memory.novel += ((isNew ? 1 : 0) - memory.novel) / minTrapWindow;
  return memory.novel;
}

/**
 * Whether a group that remembers texts needs that of the page. If its last pages were all worth something,
 * one in four pages (by its URL) is enough to notice a change, within a few pages; then it needs each. A text
 * costs as much as all links of its page.
 */
export const needsText = ({ fresh }: { readonly fresh: number }, url: string): boolean =>
  fresh < GOOD || mixHash(hashText(url)) % 4 === 0;

/** A new group falls below it after one or two worthless pages. */
const GOOD = 0.98;

/**
 * A group that has long been good gets more time: with a window of 25 pages, one in six of whose pages brings
 * something new at random would fall below 1 in 20 by chance within some thousand pages.
 */
export const windowOf = (pages: number, { minTrapWindow, maxTrapWindow }: Sizes = SIZES): number =>
  Math.min(Math.max(pages / 4, minTrapWindow), maxTrapWindow);

export const unpackMemory = ({
  seen = [],
  novel = 1,
  level = 0,
  texts = [],
}: KeptTextMemory): TextMemory => ({
  seen: [...seen],
  novel,
  level,
  texts: [...texts],
});

export const packMemory = ({ seen, novel, level, texts }: TextMemory) => ({
  seen: [...seen],
  ...(novel < 1 && { novel: rounded(novel) }),
  ...(level > 0 && { level }),
  ...(texts.length > 0 && { texts: [...texts] }),
});

export const rounded = (share: number): number => Math.round(share * 1e4) / 1e4;

/** FNV-1a, 32 bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
