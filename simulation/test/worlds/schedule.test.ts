/** A scheduled crawl of the deployed functions: it wakes by itself, recrawls, archives revisits and reports changes. */
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createSimCloud } from '../../models/cloud.ts';
import { createFaults } from '../../models/faults.ts';
import { drive, T0 } from '../../models/virtual-time.ts';
import { deploy } from '../../worlds/deployment.ts';
import { createScriptedWeb } from './scripted-web.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const [HOME, SAME, NEWS] = ['http://a.test/', 'http://a.test/same', 'http://a.test/news'];
const PAGES = { [HOME]: ['/same', '/news'], [SAME]: [], [NEWS]: [] };

const words = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
/** The news have twelve sentences, of which one is another each time. */
const newsOf = (n: number): string =>
  Array.from(
    { length: 12 },
    (_, i) => `<p>Sentence ${words(i)} of the news says ${words(i === 5 ? n : i)}.`,
  ).join('');

test('a crawl with a schedule wakes at its times, archives revisits, and reports changes, each at least once', async () => {
  const seed = 7;
  let now = () => T0;
  const cloud = createSimCloud({
    seed,
    faults: (clock) => {
      now = clock;
      return createFaults({ seed, names: [], isCalm: () => true });
    },
  });
  const { time, s3, settings } = cloud;
  const web = createScriptedWeb(time, PAGES, (url, before) =>
    url === NEWS ? newsOf(before) : `<p>The page ${url} says always the same.`,
  );
  const deployment = deploy(cloud, { fetcherOf: (process) => web.fetcherOf(process) });
  const { control } = deployment.operator();
  const config = {
    contact: 'https://sim.test/',
    recrawlSchedule: '30 * * * *',
    recrawlTimeZone: 'Europe/Berlin',
    changeFeed: true,
  };
  await drive(time, control.create({ crawl: 'c', seeds: [HOME], config }));
  const first = Math.ceil((T0 + 5 * MINUTE) / HOUR) * HOUR + HOUR / 2;
  while (time.now() < first + 2 * HOUR + 20 * MINUTE) await time.advance(MINUTE);
  const status = await drive(time, control.status('c'));
  deployment.stop();
  expect(now()).toBeGreaterThan(first);

  // It wakes at each time, and at no other one.
  const times = web.requests.flatMap(({ url, at }) => (url === NEWS && at > T0 + 20 * MINUTE ? [at] : []));
  const hours = times.map((at) => Math.floor((at - first) / HOUR));
  expect(hours.filter((hour) => hour >= 0)).toEqual([0, 1, 2]);
  for (const [i, at] of times.filter((at) => at >= first).entries())
    expect(at - first - i * HOUR, 'minutes after the time').toBeLessThan(7 * MINUTE);
  expect(status).toMatchObject({ state: 'running', pages: 3 });
  expect(status.recrawl.changed).toBe(times.length);
  expect(status.recrawl.late ?? 0).toBe(0);

  // The page that is the same is archived once.
  const records = [...s3.objects(settings.bucket)].flatMap(([key, { bytes }]) =>
    key.startsWith('warc/c/') && key.endsWith('.gz') ? [gunzipSync(bytes).toString('latin1')] : [],
  );
  const count = (type: string, url: string) =>
    records
      .join('')
      .split('WARC/1.1\r\n')
      .filter((record) => [`WARC-Type: ${type}\r\n`, `: ${url}\r\n`].every((field) => record.includes(field)))
      .length;
  expect([count('response', SAME), count('revisit', SAME)]).toEqual([1, times.length]);
  expect([count('response', NEWS), count('revisit', NEWS)]).toEqual([1 + times.length, 0]);

  // The receiver fails now and then, and nothing is lost.
  const received = new Map(deployment.changes.map((change) => [change.id, change]));
  const all = [...received.values()];
  expect(
    all
      .filter(({ change }) => change === 'new')
      .map(({ url }) => url)
      .toSorted(),
  ).toEqual([HOME, NEWS, SAME]);
  const changed = all.filter(({ change }) => change === 'changed');
  expect(changed.map(({ url }) => url)).toEqual(times.map(() => NEWS));
  for (const { changedShare, at, warcFile } of changed) {
    expect(changedShare).toBeGreaterThan(0);
    expect(changedShare).toBeLessThan(0.5);
    expect(warcFile).toMatch(/warc\.gz$/);
    expect(times).toContainEqual(expect.closeTo(Date.parse(at), -4));
  }
  // All of it was received, and so deleted.
  expect([...s3.objects(settings.bucket).keys()].filter((key) => /^(?:staged-)?changes\//.test(key))).toEqual(
    [],
  );
});
