import { expect, test } from 'vitest';
import { itemsCsv } from '../../api/items-csv.ts';

async function csvOf(...items: Record<string, unknown>[]): Promise<string> {
  let text = '';
  const all = async function* () {
    yield* items;
  };
  for await (const line of itemsCsv(all)) text += line;
  return text;
}

test('items with different keys make one table', async () => {
  expect(await csvOf({ a: 1, b: 'x,"y"' }, { c: [1], a: null, d: { e: true } }, {})).toBe(
    'a,b,c,d\r\n1,"x,""y""",,\r\n,,[1],"{""e"":true}"\r\n,,,\r\n',
  );
  expect(await csvOf()).toBe('');
});

test('items with too many keys make none', async () => {
  const items = Array.from({ length: 101 }, (_, i) =>
    Object.fromEntries(Array.from({ length: 10 }, (_, j) => [`k${10 * i + j}`, 1])),
  );
  await expect(csvOf(...items)).rejects.toThrow(/at most 1000 different keys: export them as jsonl/);
  expect(await csvOf(...items.slice(1))).toContain('k1009\r\n');
});
