/** Crawls of which somebody has deleted or damaged what is known of a host: answers have the other hosts, and say what they lack. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openCrawl, type StoredCrawl, startCrawl } from '../../api/index.ts';
import { reportHtml } from '../../cli/report/report-html.ts';
import { reportText } from '../../cli/report/report-text.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import type { UnreadableHost } from '../../shared/services/report/unreadable-hosts.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { commandLine, rowOfPages, type SmallSite, startSite } from '../local-crawl/small-site.ts';

const sites: SmallSite[] = [];
let folder: string;
let out: string;
let crawls = 0;
const crawl = () => join(folder, `c${crawls}`);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-lost-'));
  for (const address of ['127.78.0.61', '127.78.0.62'])
    sites.push(await startSite(rowOfPages(4), { address }));
});
beforeEach(async () => {
  crawls++;
  out = join(folder, `out${crawls}`);
  const running = await startCrawl({ ...QUICK, seeds: sites.map(({ url }) => `${url}/`), out: crawl() });
  await running.done;
});
afterAll(async () => {
  for (const site of sites) await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const hostOf = (n: number) => new URL(sites[n]!.url).host;

function change(sql: string): void {
  const database = new DatabaseSync(foldersOf(crawl()).database);
  expect(database.prepare(sql).run(hostOf(0)).changes).toBeGreaterThan(0);
  database.close();
}

const WAYS = [
  ['deleted', 'DELETE FROM parts WHERE host = ?', /is not there$/],
  ['damaged', "UPDATE parts SET bytes = x'01c803' WHERE host = ?", /./],
  [
    'a file that is gone',
    "UPDATE parts SET bytes = NULL, file = 'a/b' WHERE host = ?",
    /is not there|is missing/,
  ],
] as const;

describe.each(WAYS)('with the parts of a host %s', (_, sql, reason) => {
  let lost: UnreadableHost[];
  let stored: StoredCrawl;

  beforeEach(async () => {
    change(sql);
    lost = [];
    stored = await openCrawl(crawl(), { leaveOut: (host) => lost.push(host) });
  });
  afterEach(() => stored.close());

  const expectLost = () => {
    expect(new Set(lost.map(({ host, urls }) => `${host} ${urls}`))).toEqual(new Set([`${hostOf(0)} 4`]));
    expect(lost[0]?.reason).toMatch(reason);
  };

  test('rows and exports have the other hosts', async () => {
    const hosts = [];
    for await (const { host } of stored.urls()) hosts.push(host);
    expect(hosts).toEqual(Array(4).fill(hostOf(1)));
    expectLost();
    lost = [];
    expect(await stored.exportParquet(out, { tables: ['urls'] })).toEqual({ urls: 4 });
    expectLost();
  });

  test('rows are an error where nobody takes what is left out', async () => {
    await using other = await openCrawl(crawl());
    await expect(async () => {
      for await (const _ of other.urls());
    }).rejects.toThrow(reason);
  });

  test('the report says in its first line what it lacks', async () => {
    const report = await stored.report();
    expect(report.unreadable).toMatchObject({ hostCount: 1, urls: 4, hosts: [{ host: hostOf(0), urls: 4 }] });
    expect(report.depths).toEqual([1, 1, 1, 1]);
    const said = `Lacks 4 URLs of 1 host whose stored state cannot be read: ${hostOf(0)}`;
    expect(reportText(report, false).split('\n')[0]).toBe(said);
    expect(reportHtml(report)).toContain(said);
  });
});

test('the command line names what its rows lack, and ends with 1', async () => {
  change(WAYS[0][1]);
  const line = commandLine();
  onTestFinished(line.remove);
  const exported = await line.strand('export', crawl()).ended;
  expect([exported.code, exported.out.trim().split('\n').length]).toEqual([1, 4]);
  expect(exported.err).toMatch(
    new RegExp(
      `^strand: 4 URLs of ${hostOf(0)} left out, as its stored state cannot be read: the part \\S+ of ${hostOf(0)}'s ledger is not there\n$`,
    ),
  );
  const reported = await line.strand('report', crawl()).ended;
  expect([reported.code, reported.out.split(' ')[0]]).toEqual([1, 'Lacks']);
});
