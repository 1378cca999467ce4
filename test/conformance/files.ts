/** The files of published cases, and how many each has of every tier, so that none is lost unseen. */
import { type Case, isRight, readCases, type Tier } from './cases.ts';
import { answerTo } from './operations.ts';
import type { Answer } from './question.ts';

export const FILES: Readonly<Record<string, Readonly<Record<Tier, number>>>> = {
  'robots/rules.jsonl': { must: 1005, should: 27, info: 49 },
  'robots/rfc9309.jsonl': { must: 107, should: 10, info: 3 },
  'robots/crawl-delay-sitemaps.jsonl': { must: 0, should: 24, info: 0 },
  'robots/robots-url.jsonl': { must: 9, should: 0, info: 1 },
  'url/whatwg-urltestdata.jsonl': { must: 443, should: 445, info: 0 },
  'url/resolve.jsonl': { must: 41, should: 0, info: 5 },
  'url/ipv4.jsonl': { must: 31, should: 0, info: 16 },
  'url/identity-pairs.jsonl': { must: 126, should: 3, info: 5 },
  'url/psl.jsonl': { must: 73, should: 0, info: 4 },
  'url/surt.jsonl': { must: 0, should: 67, info: 10 },
  'url/ssurt.jsonl': { must: 0, should: 0, info: 6 },
  'url/canon-third-party.jsonl': { must: 0, should: 0, info: 713 },
  'html/links.jsonl': { must: 3952, should: 244, info: 11 },
  'html/encoding.jsonl': { must: 154, should: 0, info: 6 },
  'html/charset-text.jsonl': { must: 116, should: 1, info: 4 },
};

export interface Wrong extends Pick<Case, 'id' | 'wanted'> {
  readonly got: Answer;
}

export interface TierTotals {
  readonly all: number;
  readonly wrong: readonly Wrong[];
}

/** Asks all questions of a file, one after the other. */
export async function askFile(file: string): Promise<Record<Tier, TierTotals>> {
  const wrong: Record<Tier, Wrong[]> = { must: [], should: [], info: [] };
  const cases = readCases(file);
  for (const { id, tier, question, wanted } of cases) {
    const got = await answerTo(question);
    if (!isRight(got, wanted)) wrong[tier].push({ id, wanted, got });
  }
  const totalsOf = (tier: Tier): TierTotals => ({
    all: cases.filter((one) => one.tier === tier).length,
    wrong: wrong[tier],
  });
  return { must: totalsOf('must'), should: totalsOf('should'), info: totalsOf('info') };
}
