/** A crawl of a list of sites by the functions of a stack: what its operator and the operator's programs see of each. */
import { afterEach, expect, test } from 'vitest';
import { page, type Site } from '../crawler/worker/scripted-fetcher.ts';
import { deployFunctions, restoreCalls } from './deployed.ts';

afterEach(restoreCalls);

const SITE: Site = {
  'http://a.test/': page('/1', '/2'),
  'http://a.test/1': page(),
  'http://a.test/2': page(),
  'http://denied.test/': { status: 403 },
  'http://gone.test/': { status: 404 },
};
const CONFIG = { contact: 'me@example.org', delayMs: 100, retryMs: 1000, backoffMs: 1000 };
const bodyOf = (answer: unknown) => (answer as { body: Record<string, unknown> }).body;

test('each site has an event, a line, and its part in the summary', async () => {
  const deployed = deployFunctions({ site: SITE });
  const worker = deployed.worker();
  const sites = [
    { url: 'http://a.test/', group: 'g', delayMs: 200 },
    { url: 'http://denied.test/', group: 'h' },
    { url: 'http://gone.test/', group: 'h' },
  ];
  const created = await deployed.request('POST', '/crawls', { crawl: 'c', sites, config: CONFIG });
  expect(created).toMatchObject({ status: 201, body: { sites: { count: 3, waiting: 3 } } });
  await deployed.routeAll();
  for (let round = 0; round < 6; round++) {
    for (const event of await deployed.starts()) await worker(event);
    await deployed.routeAll();
  }
  for (let minute = 0; minute < 4; minute++) await deployed.wakeFor(1);
  const events = deployed.ofType('sitesVisited') as unknown as { detail: { data: { sites: object[] } } }[];
  const visits = events.flatMap(({ detail }) => detail.data.sites) as { host: string; outcome: string }[];
  expect(new Map(visits.map(({ host, outcome }) => [host, outcome]))).toEqual(
    new Map([
      ['a.test', 'done'],
      ['denied.test', 'blocked'],
      ['gone.test', 'gone'],
    ]),
  );
  const summary = bodyOf(await deployed.request('GET', '/crawls/c'));
  expect(summary.sites).toEqual({ count: 3, visited: 1, done: 1, blocked: 1, gone: 1 });
  const listed = bodyOf(await deployed.request('GET', '/crawls/c/sites'));
  expect(listed.sites).toMatchObject([
    { host: 'a.test', group: 'g', state: 'done', pages: 3 },
    { host: 'denied.test', state: 'blocked', cause: 'HTTP 403' },
    { host: 'gone.test', state: 'gone' },
  ]);
  const changed = await deployed.request('POST', '/crawls/c/sites', { sites: sites.slice(0, 2) });
  expect(changed).toMatchObject({ status: 200, body: { added: [], changed: [], removed: ['gone.test'] } });
});
