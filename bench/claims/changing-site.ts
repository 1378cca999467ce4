/**
 * A real site that changes while it is crawled: a folder of documentation, served in three versions, a minute and more apart. Is
 * the change feed the true difference? Are the histories of ten URLs those of the server's log? Does pywb replay the captures?
 *
 *     npm run bench -- changing-site [FOLDER of .html files]        without one: pages of the generated web
 *
 * The environment variable `PYWB` names a `pywb` to replay with (`pip install pywb`).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCrawl, resumeCrawl, serveCrawl, startCrawl } from '../../api/index.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import type { BenchOptions } from '../claims.ts';
import { type BenchDocument, documentsOf } from '../harness/documents.ts';
import type { Measured } from '../harness/record.ts';
import { startPywb } from './changing-site/pywb.ts';
import { createVersions, serveVersions, type VersionedSite } from './changing-site/versions.ts';

const PAGES = 300;
const VERSIONS = 3;
/** The shortest interval of a crawl, and a second. */
const EVERY_MS = 60_000;
const HISTORIES = 10;

export async function measure({ words: [folder] }: BenchOptions): Promise<Measured> {
  const versions = createVersions(documentsOf(folder).filter(isPage).slice(0, PAGES), VERSIONS);
  const site = await serveVersions(versions);
  const scratch = mkdtempSync(join(tmpdir(), 'strand-changing-'));
  const out = join(scratch, 'crawl');
  try {
    const missed: string[] = [];
    const invented: string[] = [];
    let changes = 0;
    for (let version = 0; version < VERSIONS; version++) {
      site.show(version);
      const since = new Date();
      const crawl = await (version === 0
        ? startCrawl({ ...optionsOf(site), out })
        : resumeCrawl(out, { once: true }));
      await crawl.done;
      const found = await changesOf(out, since);
      const expected = versions.changesOf(version).map(({ change, path }) => `${change} ${site.url}${path}`);
      changes += expected.length;
      missed.push(...expected.filter((line) => !found.includes(line)));
      invented.push(...found.filter((line) => !expected.includes(line)));
      if (version + 1 < VERSIONS) await systemClock.sleep(EVERY_MS + 1000);
    }
    const paths = versions.steady().slice(0, HISTORIES);
    let histories = 0;
    for (const path of paths) if (await isHistoryTrue(out, site, path)) histories++;
    const replayed = await replay(out, site);
    return {
      figures: {
        changes: { value: changes, unit: 'true changes' },
        missed: { value: missed.length, unit: 'missed' },
        invented: { value: invented.length, unit: 'invented' },
        histories: { value: histories, unit: `of ${paths.length} histories are those of the server's log` },
        ...(replayed !== undefined && {
          replayed: { value: replayed, unit: `of ${VERSIONS} captures of a page replayed by pywb` },
        }),
      },
      detail: [
        `${versions.count} pages of ${folder ?? 'the generated web'}, ${VERSIONS} versions`,
        ...missed.map((line) => `missed: ${line}`),
        ...invented.map((line) => `invented: ${line}`),
        ...(replayed === undefined ? ['not replayed: PYWB names no pywb'] : []),
      ].join('\n'),
    };
  } finally {
    await site.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Not one that only leads elsewhere, which counts as a redirect. */
const isPage = ({ bytes }: BenchDocument): boolean =>
  !/http-equiv=["']?refresh/i.test(bytes.toString('latin1'));

const optionsOf = ({ url }: VersionedSite) => ({
  seeds: [`${url}/`],
  contact: 'bench@example.org',
  recrawlEveryMs: EVERY_MS,
  once: true,
  delayMs: 5,
  trapAfterPages: 0,
  allowPrivateAddresses: ['127.0.0.0/8'],
});

async function changesOf(out: string, since: Date): Promise<string[]> {
  await using crawl = await openCrawl(out);
  const found: string[] = [];
  for await (const { change, url } of crawl.changes(since)) found.push(`${change} ${url}`);
  return found;
}

/** Whether the visits are those that the server has answered, with their statuses. */
async function isHistoryTrue(out: string, site: VersionedSite, path: string): Promise<boolean> {
  await using crawl = await openCrawl(out);
  const visits = await crawl.history(site.url + path);
  const served = site.log.filter((entry) => entry.path === path);
  const text = (statuses: readonly (number | undefined)[]) => statuses.join(' ');
  return text(visits.map(({ httpStatus }) => httpStatus)) === text(served.map(({ status }) => status));
}

/** How many of the versions of a page that changes each time are replayed; undefined: there is no pywb. */
async function replay(out: string, site: VersionedSite): Promise<number | undefined> {
  const program = process.env.PYWB;
  if (program === undefined) return undefined;
  await using server = await serveCrawl(out, { port: 0 });
  await using pywb = await startPywb(program, `${server.url}cdx`);
  await using crawl = await openCrawl(out);
  const { path, words } = site.always;
  let count = 0;
  for (const [i, { time }] of (await crawl.history(site.url + path)).entries()) {
    const body = await pywb.replay(time.replace(/\D/g, ''), site.url + path);
    if (body.includes(words[i] as string)) count++;
  }
  return count;
}
