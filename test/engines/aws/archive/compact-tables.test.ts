/** The tables of a joined file's captures: which have rows, what is said of those that have none, and in which order they appear. */
import { describe, expect, test } from 'vitest';
import {
  deleteTables,
  encodeTables,
  putTables,
} from '../../../../shared/engines/aws/archive/compact-tables.ts';
import { tableKey } from '../../../../shared/engines/aws/archive/table-folders.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { createCloud } from './compact-cloud.ts';

const FILE = 'joined.warc.gz';
const line = (path: string, offset: number, more: object = {}) =>
  `test,a)${path} 20260102030405 ${JSON.stringify({ url: `http://a.test${path}`, mime: 'text/html', status: '200', digest: 'A'.repeat(32), length: '10', offset: String(offset), filename: FILE, ...more })}\n`;
const heads = (httpStatus = 200) =>
  JSON.stringify({
    record: {
      fields: [
        ['WARC-Type', 'response'],
        ['WARC-Date', '2026-01-02T03:04:05Z'],
      ],
    },
    httpStatus,
    headers: [['content-type', 'text/html']],
  });

async function encode(lines: Parameters<typeof encodeTables>[0], step = async () => {}) {
  const warnings: string[] = [];
  const tables = await encodeTables(lines, FILE, { step, warn: (message) => void warnings.push(message) });
  return { tables, warnings };
}

describe('the tables of a file', () => {
  test('are one for each subset that has rows, and always that of pages', async () => {
    const { tables, warnings } = await encode([
      { line: line('/1', 5), heads: heads() },
      { line: line('/2', 15, { status: '404' }), heads: heads(404) },
      { line: line('/none', 25) },
    ]);
    expect([...tables.keys()].sort()).toEqual(['crawldiagnostics', 'warc']);
    expect(warnings).toEqual([]);
    expect([...(await encode([])).tables.keys()]).toEqual(['warc']);
  });

  test('have no row for a capture beyond what a table can say, which is reported, and the others have theirs', async () => {
    const far = 3 * 2 ** 30;
    const { tables, warnings } = await encode([
      { line: line('/far', far), heads: heads() },
      { line: line('/1', 5), heads: heads() },
    ]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`${FILE} at ${far} has no row in the tables`);
    const alone = await encode([{ line: line('/1', 5), heads: heads() }]);
    expect(tables.get('warc')).toEqual(alone.tables.get('warc'));
  });

  test('are not made of what is damaged: that is thrown', async () => {
    await expect(encode([{ line: line('/1', 5), heads: '{' }])).rejects.toThrow(SyntaxError);
  });

  test('are made with a pause for every five hundred rows, and what that throws is thrown', async () => {
    const lines = Array.from({ length: 501 }, (_, i) => ({ line: line(`/${i}`, i) }));
    let steps = 0;
    await encode(lines.slice(0, 500), async () => void steps++);
    expect(steps).toBe(1);
    await encode(lines, async () => void steps++);
    expect(steps).toBe(3);
    await expect(encode(lines, async () => Promise.reject(new Error('time is up')))).rejects.toThrow(
      'time is up',
    );
  });
});

test('the table that shows that all are there comes last, each again if it is throttled', async () => {
  const cloud = createCloud();
  const order: string[] = [];
  let calls = 0;
  const { s3 } = cloud.clients(async (_command, carryOut) => {
    if (++calls % 2 === 1) throw Object.assign(new Error('slow'), { name: 'SlowDown', $metadata: {} });
    const answer = carryOut();
    order.push(...[...cloud.objects.keys()].filter((key) => !order.includes(key)));
    return answer;
  });
  const clock = createFakeClock();
  const context = { s3, bucket: 'bucket', clock };
  const { tables } = await encode([
    { line: line('/robots.txt', 5), heads: heads() },
    { line: line('/2', 15, { status: '404' }), heads: heads(404) },
  ]);
  await clock.drive(putTables(context, 'news', FILE, tables));
  expect(order).toHaveLength(tables.size);
  expect(order.at(-1)).toBe(tableKey('news', 'warc', FILE));
  await clock.drive(deleteTables(context, 'news', FILE));
  expect(cloud.objects.size).toBe(0);
});
