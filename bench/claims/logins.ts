/**
 * A crawl behind a login: accounts of which the site refuses one, sessions that end after some pages, and a crawl that is killed in
 * between and resumed.
 *
 *     npm run bench -- logins [PAGES] [ACCOUNTS]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { openCrawl } from '../../api/index.ts';
import {
  falseAlarmsAmong,
  ordinaryPages,
  responseOf,
} from '../../test/crawler/turn/refusal/ordinary-pages.ts';
import { countSecrets } from '../../test/web/members/count-secrets.ts';
import { type MembersSite, secretOf, serveMembers } from '../../test/web/members/site.ts';
import type { BenchOptions } from '../claims.ts';
import type { Measured } from '../harness/record.ts';
import { withScratch } from '../harness/scratch.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROJECT = join(ROOT, 'test/web/members/project.ts');
/** Pages of the web (WCXB), if they are there. */
const REAL_PAGES = join(ROOT, '../shared/content/wcxb-dev/html');
const MAX_REAL_PAGES = 500;
const PAGES_PER_SESSION = 50;
const POLL_MS = 20;

export function measure({ words: [pages = '1000', accounts = '5'] }: BenchOptions): Promise<Measured> {
  const count = Number(pages);
  const users = Array.from({ length: Number(accounts) }, (_, index) => `reader-${index}`);
  return withScratch(async (folder) => {
    const site = await serveMembers({
      kind: 'csrf',
      address: '127.0.0.1',
      pages: count,
      pagesPerSession: PAGES_PER_SESSION,
      lockedUsers: users.slice(0, 1),
    });
    try {
      return await crawled(site, users, count, join(folder, 'crawl'));
    } finally {
      await site.close();
    }
  });
}

async function crawled(
  site: MembersSite,
  users: readonly string[],
  count: number,
  out: string,
): Promise<Measured> {
  const env = {
    ...process.env,
    MEMBERS: [new URL(site.url).host, ...users].join(','),
    ...Object.fromEntries(users.map((user) => [`SECRET_${user}`, secretOf(user)])),
  };
  const strand = (...words: string[]) =>
    spawn(process.execPath, [join(ROOT, 'cli/bin.js'), ...words, '--config', PROJECT, '--quiet'], {
      env,
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const begun = strand('crawl', site.url, '--out', out, '--allow-private-addresses', '--workers', '2');
  const ended = once(begun, 'exit');
  while (site.counts.pages < count / 2 && begun.exitCode === null) await pause(POLL_MS);
  begun.kill('SIGKILL');
  await ended;
  await once(strand('resume', out, '--workers', '2'), 'exit');
  await using crawl = await openCrawl(out);
  const summary = await crawl.summary();
  const logins = Object.values(site.logins).reduce((sum, one) => sum + one, 0);
  return {
    figures: {
      pagesFound: { value: summary.pages, unit: 'pages' },
      pagesTruth: { value: count, unit: 'pages' },
      logins: { value: logins, unit: 'logins' },
      refusedLogins: { value: site.counts.refused, unit: 'logins' },
      falseAlarms: { value: await falseAlarms(), unit: 'ordinary and real pages' },
      overlaps: { value: site.counts.overlaps, unit: 'requests by one account at once' },
      secretsInFiles: {
        value: countSecrets(out, site.secrets),
        unit: 'values of cookies, tokens and passwords',
      },
    },
  };
}

/** How many of the pages count as refusals of the crawler. */
async function falseAlarms(): Promise<number> {
  const files = existsSync(REAL_PAGES) ? readdirSync(REAL_PAGES).slice(0, MAX_REAL_PAGES) : [];
  const real = files.map(
    (file) => [file, responseOf(gunzipSync(readFileSync(join(REAL_PAGES, file))))] as const,
  );
  return (await falseAlarmsAmong([...ordinaryPages(), ...real])).length;
}
