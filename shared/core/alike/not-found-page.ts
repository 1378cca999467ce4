/**
 * Recognizes soft 404 pages (status 200 for a page that does not exist): they are compared with the
 * host's answer to a URL under which nothing stands (Bar-Yossef et al., WWW 2004).
 *
 * Compared are the words of the blocks that the answer does not share with the host's other pages: "Page not found".
 * A page must have all of them, and hardly any other word of its own but those of its URL, which such pages repeat.
 * So a page with a text of its own is never taken for one, however short it is and however much surrounds it.
 */
import { BlockHasher, type HashedBlocks, MASK } from '../parser/hashed-blocks.ts';

export interface NotFoundPage {
  /** 32 bits of each block that other pages of the host have, too. */
  readonly common: ReadonlySet<number>;
  /** The words of its other blocks, without those of the URL. */
  readonly words: ReadonlySet<number>;
}

/** A page with fewer words of its own says too little to be recognized by; one with more may be any page. */
const MIN_WORDS = 2;
const MAX_WORDS = 200;
const MAX_COMMON = 500;
/** A page may lack one word of this number, such as one of a list of suggestions. */
const WORDS_FOR_A_GAP = 50;
/** A page may have one word of its own for this number. */
const WORDS_FOR_ANOTHER = 4;
/** Pages are alike with this share of words in common. */
const ALIKE = 0.97;

/**
 * Returns the pattern of the host's answer to `url`, which does not exist. `others`: some of its pages. Undefined if
 * the answer does not differ from other pages, or is as long as they are.
 */
export function notFoundPage(
  answer: HashedBlocks,
  url: string,
  others: readonly HashedBlocks[],
): NotFoundPage | undefined {
  const known = new Set<number>();
  for (const { blocks } of others) for (const block of blocks) known.add(block);
  const common = new Set<number>();
  const words = new Set<number>();
  const ofUrl = wordsOfUrl(url);
  for (const [block, from, to] of blocksOf(answer)) {
    if (known.has(block)) common.add(block);
    else addWords(words, answer.words.subarray(from, to), ofUrl);
  }
  const isUsable = words.size >= MIN_WORDS && words.size <= MAX_WORDS && common.size <= MAX_COMMON;
  return isUsable ? { common, words } : undefined;
}

/** Whether the page at `url` is that one, too. */
export function isNotFoundPage(page: HashedBlocks, url: string, { common, words }: NotFoundPage): boolean {
  const ofUrl = wordsOfUrl(url);
  const most = words.size + Math.floor(words.size / WORDS_FOR_ANOTHER);
  const found = new Set<number>();
  for (const [block, from, to] of blocksOf(page)) {
    if (common.has(block)) continue;
    for (let at = from; at < to; at++) {
      const word = page.words[at] as number;
      if (word !== MASK && (words.has(word) || !ofUrl.has(word))) found.add(word);
    }
    if (found.size > most) return false;
  }
  let missing = 0;
  for (const word of words) if (!found.has(word)) missing++;
  const others = found.size - (words.size - missing);
  return (
    missing <= Math.floor(words.size / WORDS_FOR_A_GAP) &&
    others <= Math.floor(words.size / WORDS_FOR_ANOTHER)
  );
}

/** The words of a page, each once, without those of its URL: for {@link areAlike}. */
export function wordsOf({ words }: HashedBlocks, url: string): ReadonlySet<number> {
  const distinct = new Set<number>();
  addWords(distinct, words, wordsOfUrl(url));
  return distinct;
}

/** Whether two pages have nearly the same words. */
export function areAlike(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  let both = 0;
  for (const word of a) if (b.has(word)) both++;
  return both >= ALIKE * (a.size + b.size - both);
}

/** As text: base64 of the number of blocks (16 bits), the blocks and the words. */
export function encodeNotFoundPage({ common, words }: NotFoundPage): string {
  const bytes = Buffer.alloc(2 + 4 * (common.size + words.size));
  bytes.writeUInt16BE(common.size);
  let at = 2;
  for (const hash of [...common, ...words]) at = bytes.writeInt32BE(hash, at);
  return bytes.toString('base64');
}

/** Reads {@link encodeNotFoundPage}; undefined for anything else. */
export function decodeNotFoundPage(text: string): NotFoundPage | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length < 2 || bytes.length % 4 !== 2) return undefined;
  const blocks = bytes.readUInt16BE(0);
  const hashes = Array.from({ length: (bytes.length - 2) / 4 }, (_, n) => bytes.readInt32BE(2 + 4 * n));
  if (hashes.length < blocks + MIN_WORDS) return undefined;
  return { common: new Set(hashes.slice(0, blocks)), words: new Set(hashes.slice(blocks)) };
}

function* blocksOf({ blocks, ends }: HashedBlocks): Generator<[block: number, from: number, to: number]> {
  let from = 0;
  for (let n = 0; n < blocks.length; n++) {
    const to = ends[n] as number;
    yield [blocks[n] as number, from, to];
    from = to;
  }
}

function addWords(to: Set<number>, words: Int32Array, without: ReadonlySet<number>): void {
  for (const word of words) if (word !== MASK && !without.has(word)) to.add(word);
}

/** The words of a URL's path and query as a page may repeat them: joined by hyphens, and apart. */
function wordsOfUrl(url: string): ReadonlySet<number> {
  const rest = url.slice(url.indexOf('/', 8));
  const text = rest.includes('%') ? decoded(rest) : rest;
  const hasher = new BlockHasher();
  for (const part of [text.replace(JOINTS, ' '), text.replace(NO_WORD, ' ')])
    hasher.add(`${part} `, 0, part.length + 1);
  return new Set(hasher.blocks().words);
}

const JOINTS = /[/?&=+.]/g;
const NO_WORD = /[^\p{L}\p{N}]/gu;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
