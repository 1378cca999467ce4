import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isRight, OWN_CASES, readCases } from './cases.ts';
import { answerTo } from './operations.ts';

const FILES = readdirSync(OWN_CASES).filter((name) => name.endsWith('.jsonl'));
const ALL = FILES.map((file) => [file, readCases(file, OWN_CASES)] as const);

describe('conformance cases of our own', () => {
  test.each(ALL)('%s: every case is answered as it wants', async (_file, cases) => {
    const wrong = [];
    for (const { id, says, question, wanted } of cases) {
      const got = await answerTo(question);
      if (!isRight(got, wanted)) wrong.push({ id, says, question, wanted, got });
    }
    expect(wrong).toEqual([]);
  });

  test('there are some hundreds, each with an id of its own and a sentence', () => {
    const cases = ALL.flatMap(([, cases]) => cases);
    expect(cases.length).toBeGreaterThan(500);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    expect(cases.filter(({ says }) => !says)).toEqual([]);
  });
});
