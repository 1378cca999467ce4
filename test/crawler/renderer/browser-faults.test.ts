/** Faults of the browser, of its processes, and of the program that started it. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { startBrowser } from '../../../shared/crawler/renderer/browser.ts';
import { makeBrowserFolder, removeBrowserFolder } from '../../../shared/crawler/renderer/browser-folder.ts';
import { findBrowser } from '../../../shared/crawler/renderer/find-browser.ts';
import { createProcessGroup } from '../../../shared/crawler/renderer/process-group.ts';
import { needs } from '../../needs.ts';
import { jobFor, LIMITS } from '../../web/scripted/render-page.ts';
import { folder, openRenderer, openSite } from './open-renderer.ts';

const test = needs('browser');
const { site, parts, pageOf } = await openSite();
const isLinux = process.platform === 'linux';
const own = (name: string) => {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
};
const soon = { timeout: 60_000, interval: 50 };

/** A program in the place of a browser. */
function fakeBrowser(name: string, script: string) {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return { path, isShell: true };
}

needs('shell').each([
  ['never answers', 'sleep 1000', /Browser.getVersion: no answer within/],
  ['ends at once', 'echo "FATAL: it is broken" >&2; exit 3', /the browser ended \(3\): FATAL: it is broken/],
  ['speaks no JSON', `printf 'x\\0' >&4; sleep 1000`, /it sent no JSON/],
])('a browser that %s renders nothing', async (name, script, detail) => {
  const temporaryFolder = own(`for one that ${name}`);
  const renderer = openRenderer({
    program: fakeBrowser(name, script),
    temporaryFolder,
    start: { startMs: 1000 },
  });
  const job = jobFor(site, pageOf('static'));
  expect(await renderer.render(job, parts.fetchPart)).toMatchObject({
    state: 'noBrowser',
    detail: expect.stringMatching(detail),
  });
  await renderer.close();
  expect(readdirSync(temporaryFolder)).toEqual([]);
});

needs('shell')('a browser that does not start is tried three times', async () => {
  const starts = join(folder, 'starts');
  const renderer = openRenderer({ program: fakeBrowser('counts', `echo x >> ${starts}; exit 1`) });
  for (let i = 0; i < 5; i++) await renderer.render(jobFor(site, pageOf('static')), parts.fetchPart);
  expect(readFileSync(starts, 'utf8')).toBe('x\nx\nx\n');
});

test('without a browser, and without a place for its folder, no page is rendered', async () => {
  const job = jobFor(site, pageOf('static'));
  const none = await openRenderer({ program: undefined }).render(job, parts.fetchPart);
  expect(none).toMatchObject({ state: 'noBrowser', detail: expect.stringContaining('apt-get install') });
  const nowhere = openRenderer({ temporaryFolder: join(folder, 'missing') });
  expect(await nowhere.render(job, parts.fetchPart)).toMatchObject({ state: 'noBrowser' });
});

needs('modes')('a full browser has room for the path of its socket, wherever the crawl is', () => {
  const long = own(join(...Array<string>(8).fill('a-long-name')));
  const made = makeBrowserFolder(long, false);
  onTestFinished(() => removeBrowserFolder(made));
  expect(existsSync(made)).toBe(true);
  expect(join(made, 'org.chromium.Chromium.XXXXXX', 'SingletonSocket').length).toBeLessThan(104);
  expect(makeBrowserFolder(long, true).startsWith(long)).toBe(true);
});

test('the folder of a browser is gone when it is closed', async () => {
  const temporaryFolder = own('closed');
  const renderer = openRenderer({ temporaryFolder });
  await renderer.render(jobFor(site, pageOf('static')), parts.fetchPart);
  expect(readdirSync(temporaryFolder)).toHaveLength(1);
  await renderer.close();
  expect(readdirSync(temporaryFolder)).toEqual([]);
});

const launch = (temporaryFolder: string) =>
  startBrowser({
    program: findBrowser({ env: process.env })!,
    temporaryFolder,
    hasSandbox: process.getuid?.() !== 0,
    startMs: 60_000,
  });

const started = (name: string) => ({
  job: jobFor(site, pageOf(name)),
  fetchPart: parts.fetchPart,
  startedAt: performance.now(),
  deadline: performance.now() + LIMITS.ms,
});

test('a browser that is killed loses its pages, and no more', async () => {
  const browser = await launch(own('killed'));
  const rendering = browser.render(started('endless-body'));
  await vi.waitFor(() => expect(browser.active).toBe(1), soon);
  process.kill(-browser.pid!, 'SIGKILL');
  expect(await rendering).toMatchObject({ state: 'crashed' });
  expect(browser.hasEnded).toBe(true);
  await browser.close();
});

test('after a browser was killed the next page has a new one', async () => {
  const temporaryFolder = own('again');
  const renderer = openRenderer({ temporaryFolder });
  const render = () => renderer.render(jobFor(site, pageOf('fetched')), parts.fetchPart);
  await render();
  const [name = ''] = readdirSync(temporaryFolder);
  for (const pid of pidsWith(name)) process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await render()).toMatchObject({ state: 'rendered' }), soon);
});

/** Processes whose arguments name the folder. */
function pidsWith(name: string): number[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(name)).map((line) => Number.parseInt(line, 10));
}

test.skipIf(!isLinux)(
  'a process that renders a page is killed: the page is lost, and the browser lives',
  async () => {
    const browser = await launch(own('process'));
    const rendering = browser.render(started('endless-body'));
    const list = createProcessGroup(browser.pid!)!;
    await vi.waitFor(() => {
      const group = list().map(({ pid }) => pid);
      for (const pid of pidsWith('--type=renderer')) if (group.includes(pid)) process.kill(pid, 'SIGKILL');
      expect(browser.crashes).toBe(1);
    }, soon);
    expect(await rendering).toMatchObject({ state: 'crashed' });
    expect(await browser.render(started('fetched'))).toMatchObject({ state: 'rendered' });
    await browser.close();
  },
);

test.skipIf(!isLinux)('a browser ends with the program that started it, however that ends', async () => {
  const temporaryFolder = own('orphan');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start-and-wait.ts'), temporaryFolder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await new Promise<number>((resolve) => {
    child.stdout.once('data', (text) => resolve(Number(text)));
  });
  const list = createProcessGroup(pid)!;
  const running = () => list().filter(({ isZombie }) => !isZombie);
  expect(running().length).toBeGreaterThan(1);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(running()).toEqual([]), soon);
  const [left = ''] = readdirSync(temporaryFolder);
  expect(left).toContain(`strand-browser-${child.pid}-`);
  const browser = await launch(temporaryFolder);
  expect(existsSync(join(temporaryFolder, left))).toBe(false);
  await browser.close();
});
