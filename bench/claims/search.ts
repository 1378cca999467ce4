/**
 * The time of a search over 100,000 pages, of words that are in nearly all of them, in some, and in few. The texts are made: words of a
 * Zipf distribution, 300 on a page on average.
 *
 *     npm run bench -- search
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSearchIndex } from '../../api/exports/search-index.ts';
import { cpuMsOf } from '../harness/cpu-time.ts';
import type { Measured } from '../harness/record.ts';

const PAGES = 100_000;
const VOCABULARY = 50_000;
const ROUNDS = 5;
/** By rank: the commonest word is in each page. */
const QUERIES = {
  commonWord: 'w0',
  threeCommonWords: 'w1 w2 w3',
  commonPhrase: '"w1 w2"',
  words: 'w100 w200',
  rareWord: 'w5000',
} as const;

export async function measure(): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-search-'));
  try {
    const path = join(folder, 'search.sqlite');
    const index = openSearchIndex(path);
    const indexMs = await cpuMsOf(async () => {
      for (let page = 0; page < PAGES; page++) index.add(documentOf(page));
      index.setState('');
    });
    const figures: Record<string, { value: number; unit: string }> = {
      index: { value: (1000 * indexMs) / PAGES, unit: 'µs of CPU to index a page' },
      bytes: { value: statSync(path).size / PAGES, unit: 'bytes a page' },
    };
    for (const [name, words] of Object.entries(QUERIES)) {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++)
        times.push(await cpuMsOf(async () => void index.search(words, {})));
      figures[name] = { value: times.sort((a, b) => a - b)[ROUNDS >> 1]!, unit: 'ms of CPU' };
    }
    index.close();
    return { figures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let state = 123_456_789;
/** From 0 to 1, the same numbers each time (xorshift32). */
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

/** A rank from 0 on: half as likely at twice the rank. */
const word = (): string => `w${Math.floor(VOCABULARY ** random()) - 1}`;
const words = (count: number): string => Array.from({ length: count }, word).join(' ');

function documentOf(page: number) {
  const text = words(50 + Math.floor(500 * random()));
  return {
    url: `https://h${page % 500}.test/${page}`,
    title: words(6),
    types: [],
    fetchedAt: '2026-01-01T00:00:00.000Z',
    depth: 0,
    textDigest: '',
    text,
    markdown: '',
    location: { file: 'a.warc.gz', offset: page, length: 1 },
  };
}
