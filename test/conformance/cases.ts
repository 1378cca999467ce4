/**
 * Conformance cases: reading them, and when an answer is right. Cases of our own are in `cases/`, whose
 * README says how they are written; published ones are outside of the repository.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Answer, Question } from './question.ts';

/**
 * `must`: the standard, or all references agree; `should`: good practice, or one's leniency; `info`: they
 * disagree.
 */
export type Tier = 'must' | 'should' | 'info';
export const TIERS: readonly Tier[] = ['must', 'should', 'info'];

export interface Case {
  readonly id: string;
  /** Its subject, in words; cases of our own have it. */
  readonly says?: string | undefined;
  readonly tier: Tier;
  readonly question: Question;
  /** Any of these is right. */
  readonly wanted: readonly Answer[];
}

export const OWN_CASES = fileURLToPath(new URL('./cases/', import.meta.url));
export const PUBLISHED_CASES = fileURLToPath(new URL('../../../shared/conformance/', import.meta.url));
export const arePresent = existsSync(PUBLISHED_CASES);
/** The line that says that the published cases are not asked. */
export const SKIPPED = `SKIPPED: the published conformance cases are not at ${PUBLISHED_CASES}; only those of the repository are asked`;

/** A case as written, or a robots.txt with many questions. */
interface Row {
  readonly id: string;
  readonly says?: string;
  readonly tier?: Tier;
  readonly in?: Question;
  readonly want?: Answer;
  readonly want_any?: readonly Answer[];
  readonly checks?: readonly (readonly [agent: string, url: string, allowed: boolean])[];
  readonly robots?: string;
  readonly robots_b64?: string;
}

/**
 * The cases of a file, such as `robots/rules.jsonl`, which may be gzipped. By default it is one of the
 * published.
 */
export function readCases(file: string, folder = PUBLISHED_CASES): Case[] {
  const bytes = readFileSync(`${folder}${file}`);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.flatMap((line) => casesOf(JSON.parse(line)));
}

export function casesOf(row: Row): Case[] {
  const { id, says, tier = 'must', checks, robots, robots_b64 } = row;
  if (checks === undefined)
    return [{ id, says, tier, question: unfolded(row.in ?? {}), wanted: row.want_any ?? [row.want ?? {}] }];
  return checks.map(([agent, url, allowed], i) => ({
    id: `${id}#${i}`,
    says,
    tier,
    question: { op: 'robots', agent, url, robots, robots_b64 },
    wanted: [{ allowed }],
  }));
}

/** Large files are kept small as pieces and how often each is repeated. */
function unfolded(question: Question): Question {
  const { robots_parts, ...rest } = question;
  if (robots_parts === undefined) return question;
  const parts = robots_parts as readonly (readonly [text: string, times: number])[];
  return { ...rest, robots: parts.map(([text, times]) => text.repeat(times)).join('') };
}

export function isRight(answer: Answer, wanted: readonly Answer[]): boolean {
  if ('error' in answer && !wanted.some((want) => 'error' in want)) return false;
  return wanted.some((want) => Object.entries(want).every(([key, value]) => meets(answer, key, value)));
}

/**
 * A list under `{key}_set` has the same members as the answer's, in any order; `{key}_sub` is among them;
 * `{key}_none` shares none with them; under `{key}_max` stands the most that a number may be. Any other value
 * is equal, and what is absent is null.
 */
function meets(answer: Answer, key: string, want: unknown): boolean {
  const [, name = key, how] = /^(.*)_(set|sub|none|max)$/s.exec(key) ?? [];
  const got = answer[name];
  if (how === undefined) return canonicalText(got ?? null) === canonicalText(want ?? null);
  if (how === 'max') return typeof got === 'number' && got <= Number(want);
  if (!Array.isArray(got) || !Array.isArray(want)) return false;
  const found = new Set(got.map((one) => canonicalText(one)));
  const asked = [...new Set(want.map((one) => canonicalText(one)))];
  if (how === 'none') return !asked.some((one) => found.has(one));
  return asked.every((one) => found.has(one)) && (how === 'sub' || found.size === asked.length);
}

/** One text for equal values, whatever the order of an object's keys. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
