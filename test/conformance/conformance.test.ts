import { describe, expect, test } from 'vitest';
import { arePresent, casesOf, isRight } from './cases.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { askFile, FILES } from './files.ts';

const excepted = new Set(EXCEPTIONS.flatMap(({ ids }) => ids));

describe.skipIf(!arePresent)('the published cases', () => {
  const answered = new Set<string>();

  test.each(Object.entries(FILES))(
    '%s: all that must and all that should be are answered as wanted, but those excepted',
    async (file, counts) => {
      const { must, should, info } = await askFile(file);
      expect({ must: must.all, should: should.all, info: info.all }).toEqual(counts);
      const wrong = [...must.wrong, ...should.wrong];
      expect(wrong.filter(({ id }) => !excepted.has(id))).toEqual([]);
      for (const { id } of wrong) answered.add(id);
      // Only of links may there be any that must be right and are not, and of them one in a hundred.
      expect(must.wrong.length).toBeLessThanOrEqual(file === 'html/links.jsonl' ? must.all / 100 : 0);
    },
  );

  test('no case is excepted that need not be', () => {
    expect([...excepted].filter((id) => !answered.has(id))).toEqual([]);
  });
});

describe('a published case', () => {
  const asked = (wanted: Readonly<Record<string, unknown>>, got: Readonly<Record<string, unknown>>) =>
    isRight(got, [wanted]);

  test('is right only if every wanted value is equal, and what is absent is null', () => {
    expect(asked({ a: 1, b: { x: 1, y: [2] } }, { b: { y: [2], x: 1 }, a: 1, c: 0 })).toBe(true);
    expect(asked({ a: null }, {})).toBe(true);
    expect(asked({ a: 1 }, { a: '1' })).toBe(false);
    expect(asked({ a: ['x', 'y'] }, { a: ['y', 'x'] })).toBe(false);
  });

  test('may want a list in any order, a part of it, none of it, or a number at most', () => {
    expect(asked({ a_set: [1, 2, 2] }, { a: [2, 1, 1] })).toBe(true);
    expect(asked({ a_set: [1, 2] }, { a: [1, 2, 3] })).toBe(false);
    expect(asked({ a_set: [] }, {})).toBe(false);
    expect(asked({ a_sub: [1] }, { a: [1, 2] })).toBe(true);
    expect(asked({ a_sub: [3] }, { a: [1, 2] })).toBe(false);
    expect(asked({ a_none: [3] }, { a: [1, 2] })).toBe(true);
    expect(asked({ a_none: [2] }, { a: [1, 2] })).toBe(false);
    expect(asked({ a_max: 2 }, { a: 2 })).toBe(true);
    expect(asked({ a_max: 2 }, { a: 3 })).toBe(false);
    expect(asked({ a_max: 2 }, {})).toBe(false);
  });

  test('may want any of several answers, and an error only if it says so', () => {
    expect(isRight({ a: 2 }, [{ a: 1 }, { a: 2 }])).toBe(true);
    expect(isRight({ error: 'unsupported' }, [{}])).toBe(false);
    expect(isRight({ error: 'unsupported' }, [{ error: 'unsupported' }])).toBe(true);
  });

  test('is unfolded from pieces, or from one robots.txt with many questions', () => {
    const parts = { op: 'robots', robots_parts: [['a', 2] as const, ['b', 1] as const] };
    expect(casesOf({ id: '1', in: parts, want: { allowed: true } })).toEqual([
      { id: '1', tier: 'must', question: { op: 'robots', robots: 'aab' }, wanted: [{ allowed: true }] },
    ]);
    const checks = [['bot', 'http://a.test/', true] as const, ['bot', 'http://a.test/b', false] as const];
    expect(casesOf({ id: '2', tier: 'should', robots: 'text', checks })).toMatchObject([
      { id: '2#0', tier: 'should', question: { robots: 'text', url: 'http://a.test/' } },
      { id: '2#1', tier: 'should', wanted: [{ allowed: false }] },
    ]);
  });
});
