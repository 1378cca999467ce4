import { expect, onTestFinished, test } from 'vitest';
import { answerCdx } from '../../../../api/local/serve/cdx-server.ts';
import { parseCdxjLine } from '../../../../shared/core/archive/parse-cdxj-line.ts';
import { surt } from '../../../../shared/core/archive/surt.ts';
import { createCaptureIndex } from '../../../../shared/engines/local/archive/capture-index.ts';

const line = (url: string, timestamp: string, more = {}) =>
  `${surt(url)} ${timestamp} ${JSON.stringify({ url, mime: 'text/html', status: '200', digest: 'sha1:AAAA', length: '9', offset: '7', filename: 'f.warc.gz', ...more })}`;

/** The answers of a server that has these lines of an index. */
async function serverOf(lines: readonly string[]) {
  async function* captures() {
    for (const one of lines) yield parseCdxjLine(one, 'the test');
  }
  const index = await createCaptureIndex(captures(), { hasKeys: true });
  onTestFinished(() => index.close());
  // Beside other tests the filters take longer.
  const ask = (query: string, limits = { filterMs: 60_000 }) =>
    answerCdx(index, new URLSearchParams(query), limits);
  const lists = (query: string) => ask(query).text.trimEnd().split('\n').filter(Boolean);
  return { ask, lists };
}

const A = 'http://a.example/';
const TIMES = ['20260101000000', '20260201000000', '20260301000000', '20260401000000', '20260501000000'];
const LINES = [
  ...TIMES.map((time) => line(A, time)),
  line(`${A}b`, '20260105000000', { status: '404' }),
  line(`${A}b`, '20260105000001', { mime: 'warc/revisit' }),
  line('http://www.sub.a.example:8080/c?d=1', '20260109000000'),
  line('http://other.example/', '20260109000000'),
];

const times = (lines: readonly string[]) => lines.map((one) => one.split(' ')[1]);

test('a query has the lines of the index', async () => {
  const { lists, ask } = await serverOf(LINES);
  expect(ask(`url=${A}`)).toMatchObject({ status: 200, type: 'text/x-cdxj' });
  expect(lists(`url=${A}`).map((one) => JSON.parse(one.slice(one.indexOf('{'))))).toEqual(
    LINES.slice(0, 5).map((one) => JSON.parse(one.slice(one.indexOf('{')))),
  );
  expect(times(lists(`url=${A}`))).toEqual(TIMES);
  expect(lists('url=http://nowhere.example/')).toEqual([]);
});

test('matchType, or a star, says which URLs', async () => {
  const { lists } = await serverOf(LINES);
  expect(lists(`url=${A}&matchType=prefix`)).toHaveLength(7);
  expect(lists(`url=${A}*`)).toHaveLength(7);
  expect(lists(`url=${A}zzz&matchType=host`)).toHaveLength(7);
  expect(lists('url=a.example&matchType=domain')).toHaveLength(8);
  expect(lists('url=*.a.example')).toHaveLength(8);
});

test('from, to, limit, sort and closest', async () => {
  const { lists } = await serverOf(LINES);
  expect(times(lists(`url=${A}&from=202602&to=202603`))).toEqual(TIMES.slice(1, 3));
  expect(times(lists(`url=${A}&limit=2`))).toEqual(TIMES.slice(0, 2));
  expect(times(lists(`url=${A}&sort=reverse&limit=2`))).toEqual([TIMES[4], TIMES[3]]);
  expect(times(lists(`url=${A}&sort=closest&closest=20260303`))).toEqual([
    TIMES[2],
    TIMES[3],
    TIMES[1],
    TIMES[4],
    TIMES[0],
  ]);
  expect(times(lists(`url=${A}&closest=${TIMES[2]}&limit=1`))).toEqual([TIMES[2]]);
  expect(times(lists(`url=${A}&sort=closest&closest=`))).toEqual(TIMES);
  expect(times(lists(`url=${A}&closest=1990&limit=2`))).toEqual(TIMES.slice(0, 2));
  expect(times(lists(`url=${A}&closest=2026&from=202604`))).toEqual(TIMES.slice(3));
  expect(times(lists(`url=${A}*&closest=20260105000001&limit=2`))).toEqual([
    '20260105000001',
    '20260105000000',
  ]);
});

test('filters, fields and JSON', async () => {
  const { lists } = await serverOf(LINES);
  expect(lists(`url=${A}*&filter==status:404`)).toHaveLength(1);
  expect(lists(`url=${A}*&filter=!statuscode:404&filter=!mimetype:warc/revisit`)).toHaveLength(5);
  expect(lists(`url=${A}*&filter=~url:.*b`)).toHaveLength(2);
  expect(lists(`url=${A}*&filter=~url:b`)).toHaveLength(0);
  expect(lists(`url=${A}b&fl=timestamp,original,mime&limit=1`)).toEqual([`20260105000000 ${A}b text/html`]);
  expect(JSON.parse(lists(`url=${A}b&output=json&limit=1`)[0]!)).toEqual({
    urlkey: 'example,a)/b',
    timestamp: '20260105000000',
    url: `${A}b`,
    mime: 'text/html',
    status: '404',
    digest: 'sha1:AAAA',
    length: '9',
    offset: '7',
    filename: 'f.warc.gz',
  });
});

test.each([false, true])('pages by resumeKey hold every capture once (reverse: %s)', async (isReverse) => {
  const { ask } = await serverOf([...LINES, LINES[0]!]);
  const query = `url=*.a.example${isReverse ? '&sort=reverse' : ''}`;
  const found: string[] = [];
  let key: string | undefined;
  for (let pages = 0; pages === 0 || key !== undefined; pages++) {
    expect(pages).toBeLessThan(9);
    const after = key === undefined ? '' : `&resumeKey=${encodeURIComponent(key)}`;
    const { text, resumeKey } = ask(`${query}&limit=2${after}`);
    found.push(...text.trimEnd().split('\n'));
    key = resumeKey;
  }
  expect(found).toEqual(ask(query).text.trimEnd().split('\n'));
  expect(found).toHaveLength(9);
});

test('showResumeKey writes the key after the lines', async () => {
  const { ask } = await serverOf(LINES);
  expect(ask(`url=${A}&limit=4&showResumeKey=true`).text).toMatch(/\n\nexample,a\)\/\+20260401000000\+4\n$/);
  expect(ask(`url=${A}&limit=5&showResumeKey=true`).text).not.toContain('\n\n');
});

test.each([
  ['', 'url'],
  ['url=javascript://x', 'url'],
  [`url=${A}&matchType=all`, 'matchType'],
  [`url=${A}&from=20261399`, 'from'],
  [`url=${A}&closest=tomorrow`, 'closest'],
  [`url=${A}&limit=-1`, 'limit'],
  [`url=${A}&limit=1e9`, 'limit'],
  [`url=${A}&output=xml`, 'output'],
  [`url=${A}&filter=status`, 'filter'],
  [`url=${A}&filter=nothing:1`, 'nothing'],
  [`url=${A}&filter=~url:(`, 'filter'],
  [`url=${A}&fl=password`, 'password'],
  [`url=${A}&collapse=digest`, 'collapse'],
  [`url=${A}&resumeKey=x`, 'resumeKey'],
  [`url=${A}${'&filter=url:a'.repeat(21)}`, '20 filters'],
])('%s is refused, and says why', async (query, word) => {
  const { ask } = await serverOf(LINES);
  const { status, type, text } = ask(query);
  expect([status, type]).toEqual([400, 'application/json']);
  expect(JSON.parse(text).message).toContain(word);
});

test('an expression that would not end is ended', async () => {
  const { ask } = await serverOf([line(`${A}${'a'.repeat(60)}`, '2026')]);
  // With a look-ahead, since a function's test in the same process may have switched the linear engine on.
  const { status, text } = ask(`url=${A}*&filter=~url:.*(?=a)(a%2B)%2B$x`, { filterMs: 300 });
  expect([status, text]).toEqual([400, expect.stringContaining('filters that take at most')]);
});

test('of very many captures an answer looks at some, and says where it ended', async () => {
  const many = Array.from({ length: 50_010 }, (_, i) => line(`${A}${i}`, '20260101000000'));
  const { ask } = await serverOf(many);
  expect(ask(`url=${A}*&limit=999999999`).text.trimEnd().split('\n')).toHaveLength(10_000);
  const none = ask(`url=${A}*&filter==status:500`);
  expect([none.status, none.text]).toEqual([200, '']);
  expect(none.resumeKey).toBeDefined();
  expect(
    ask(`url=${A}*&filter==status:500&resumeKey=${encodeURIComponent(none.resumeKey!)}`).resumeKey,
  ).toBeUndefined();
  expect(ask(`url=${A}*&closest=2026`)).toMatchObject({ status: 400 });
});
