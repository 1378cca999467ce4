/** Crawls of sites for members, each with a form of login that is hard to crawl in a way of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openCrawl, resumeCrawl, startCrawl } from '../../api/index.ts';
import type { LogEntry } from '../../shared/core/text/log-entry.ts';
import { countSecrets, textsIn } from '../web/members/count-secrets.ts';
import { KINDS, type MembersOptions, type MembersSite, secretOf, serveMembers } from '../web/members/site.ts';
import { QUICK, temporaryFolder } from './local-crawl.ts';

const PROJECT = join(import.meta.dirname, '../web/members/project.ts');
const PROGRAM = join(import.meta.dirname, '../../cli/bin.js');
const PAGES = 31;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function begin(options: Partial<MembersOptions>, users: readonly string[] = ['reader']) {
  const site = await serveMembers({
    kind: 'csrf',
    address: '127.0.0.1',
    pages: PAGES,
    pagesPerSession: 10,
    ...options,
  });
  const { folder, remove } = temporaryFolder();
  closing.push(site.close, remove);
  process.env.MEMBERS = [new URL(site.url).host, ...users].join(',');
  for (const user of users) process.env[`SECRET_${user}`] = secretOf(user);
  const warnings: string[] = [];
  const onLog = ({ level, message }: LogEntry) => level === 'warn' && warnings.push(message);
  const crawl = (workers = 1) =>
    startCrawl({ ...QUICK, seeds: [site.url], out: folder, project: PROJECT, workers, onLog });
  return { site, folder, crawl, warnings };
}

function expectNoSecrets(folder: string, { secrets }: MembersSite): void {
  const text = textsIn(folder).join('\n');
  expect(text).toContain('Signed in as');
  expect(text).toMatch(/description: .*Set-Cookie are replaced by \[removed\]/);
  expect(countSecrets(folder, secrets)).toBe(0);
}

test.each(KINDS)('a site of the kind %s is crawled in full', async (kind) => {
  const { site, folder, crawl } = await begin({ kind });
  const running = await crawl();
  const summary = await running.done;
  expect(summary).toMatchObject({ state: 'finished', pages: PAGES });
  expect(site.logins).toEqual({ reader: 3 });
  expect(site.counts).toMatchObject({ refused: 0, signOuts: 0, overlaps: 0, loginsAtOnce: 0 });
  expectNoSecrets(folder, site);
  const opened = await openCrawl(folder);
  closing.push(() => opened.close());
  expect(await opened.accounts()).toMatchObject([
    { name: 'reader', domain: '127.0.0.1', logins: 3, failures: 0 },
  ]);
  expect(summary.accounts).toEqual({ requests: expect.any(Number), logins: 3 });
  expect((await opened.report()).accounts).toEqual(await opened.accounts());
  const signOut = kind === 'signOut' ? 'account/logout?from=page' : 'logout';
  expect(await opened.url(`${site.url}${signOut}`)).toMatchObject({
    status: 'skipped',
    causeCode: 'signOutLink',
  });
});

test('an account that the site refuses rests, and another one makes the requests', async () => {
  const users = ['one', 'two', 'three'];
  const { site, folder, crawl } = await begin({ lockedUsers: ['two'] }, users);
  const summary = await (await crawl(2)).done;
  expect(summary.pages).toBe(PAGES);
  expect(site.logins.two).toBeUndefined();
  expect(site.counts.refused).toBeLessThanOrEqual(1);
  expect(site.counts.overlaps).toBe(0);
  expectNoSecrets(folder, site);
});

test('a host whose account is refused waits, and is crawled after the account is unlocked', async () => {
  const { site, folder, crawl, warnings } = await begin({});
  process.env.SECRET_reader = 'no password';
  const running = await crawl();
  await expect.poll(async () => (await openAccounts(folder))[0]?.failures, { timeout: 60_000 }).toBe(1);
  const [account] = await openAccounts(folder);
  expect(account).toMatchObject({ state: 'resting', logins: 0 });
  await expect.poll(() => warnings).toHaveLength(1);
  expect(warnings[0]).toBe(
    'The account reader (127.0.0.1) cannot sign in: the page after the login, /login (HTTP 200), does not show the sign of being ' +
      `signed in (signedIn); it rests until ${account?.restUntil}`,
  );
  const paused = await running.pause();
  expect(paused.pages).toBe(0);
  await running.stop();
  const opened = await openCrawl(folder);
  expect(await opened.unlockAccount('nobody')).toBe(false);
  expect(await opened.unlockAccount('reader')).toBe(true);
  await opened.close();
  process.env.SECRET_reader = secretOf('reader');
  const resumed = await resumeCrawl(folder, { project: PROJECT });
  expect((await resumed.done).pages).toBe(PAGES);
  expect(site.logins).toEqual({ reader: 3 });
});

test('the program says at once that a login has failed, and so does its summary', async () => {
  const { site, folder } = await begin({});
  process.env.SECRET_reader = 'no password';
  const given = ['--config', PROJECT, '--out', folder, '--allow-private-addresses'];
  const child = spawn(process.execPath, [PROGRAM, 'crawl', site.url, ...given]);
  closing.push(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
    if (!child.killed && err.includes('cannot sign in')) child.kill('SIGINT');
  });
  const [code] = await once(child, 'close');
  expect([code, err]).toEqual([
    130,
    expect.stringContaining('The account reader (127.0.0.1) cannot sign in:'),
  ]);
  expect(out).toContain('  Accounts    reader (127.0.0.1): rests until ');
});

async function openAccounts(folder: string) {
  const opened = await openCrawl(folder);
  try {
    return await opened.accounts();
  } finally {
    await opened.close();
  }
}
