/** Crawls that are copied between a folder and a stack in the simulated account, and continued there. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ControlError, openCrawl, resumeCrawl, startCrawl } from '../../../api/index.ts';
import { pullCrawl } from '../../../api/stack/copy/pull-crawl.ts';
import { pushCrawl } from '../../../api/stack/copy/push-crawl.ts';
import { openStackCrawl } from '../../../api/stack/open-stack-crawl.ts';
import { beginStackCrawl } from '../../../api/stack/start-stack-crawl.ts';
import type { StackCrawl } from '../../../api/stack-crawl.ts';
import type { StoredCrawl } from '../../../api/stored-crawl.ts';
import { lockFolder } from '../../../shared/engines/local/lock.ts';
import type { PageContext } from '../../../shared/services/project/project.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import type { Pages } from '../../../simulation/test/worlds/scripted-web.ts';
import { all } from '../../all.ts';
import { unzip } from '../../core/archive/unzip.ts';
import { type DeployedWorld, deployedWorld } from './deployed-world.ts';

const ADDRESS = '127.79.3.1';
const COUNT = 40;
const HOUR = 3_600_000;

let server: Server;
let root: string;
/** Each page links to the next two, to a page of another site, and to one that is not there. */
let pages: Pages;
let asked: string[] = [];
const folders: string[] = [];

beforeAll(async () => {
  server = createServer(({ url = '/' }, response) => {
    asked.push(`${root}${url}`);
    const links = pages[`${root}${url}`];
    if (!links) return void response.writeHead(404).end('none');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html>${links.map((link) => `<a href="${link}">x</a>`).join('')}`);
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  root = `http://${ADDRESS}:${(server.address() as AddressInfo).port}`;
  pages = Object.fromEntries(
    Array.from({ length: COUNT }, (_, n) => [
      `${root}/${n}`,
      [
        ...[n + 1, n + 2].filter((to) => to < COUNT).map((to) => `/${to}`),
        '/missing',
        `http://other.test/${n}`,
      ],
    ]),
  );
});
beforeEach(() => {
  asked = [];
});
afterAll(() => {
  server.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'strand-copy-'));
  folders.push(folder);
  return join(folder, 'c');
};

const CONFIG = {
  contact: 'https://sim.test/',
  delayMs: 0,
  adaptive: false,
  allowPrivateAddresses: ['127.0.0.0/8'],
};

/** A crawl of the first pages, in a folder. */
async function crawledFolder(maxPages: number): Promise<string> {
  const out = newFolder();
  const crawl = await startCrawl({ seeds: [`${root}/0`], out, ...CONFIG, maxPages, onPage });
  await crawl.done;
  return out;
}

async function inWorld<T>(script: (world: DeployedWorld) => Promise<T>, options = {}): Promise<T> {
  const world = deployedWorld(pages, { allowPrivateAddresses: ['127.0.0.0/8'], ...options });
  const outcome = await drive(world.time, script(world));
  world.deployment.stop();
  return outcome;
}

async function begunOnStack(world: DeployedWorld, more = {}): Promise<StackCrawl> {
  const options = { ...CONFIG, delayMs: 2000, ...more };
  await beginStackCrawl(world.connection, { crawl: 'c', seeds: [`${root}/0`], options });
  return openStackCrawl(world.connection, 'c');
}

/** A hook with an item for each page, which counts them. */
function onPage({ url, state }: Pick<PageContext, 'url' | 'state'>) {
  state.update<number>('pages', (n = 0) => n + 1);
  return { url };
}

/** All that both places say of a crawl, but for places in the archive. */
async function saidBy(crawl: StackCrawl | StoredCrawl) {
  const known = (await all(crawl.urls())).map(({ url, status, depth, httpStatus, via }) =>
    JSON.stringify({ url, status, depth, httpStatus, via }),
  );
  const captures = (await all(crawl.captures())).map(({ url, status, digest }) =>
    JSON.stringify({ url, status, digest }),
  );
  const skipped = (await all(crawl.skipped())).map(({ url, reason }) => `${reason} ${url}`);
  const items = (await all(crawl.items())).map((item) => JSON.stringify(item));
  const { pages: count, hosts, bytes, urls, skipped: skips, state } = await crawl.summary();
  const kept = [...(await crawl.state())];
  return {
    kept,
    known: known.sort(),
    captures: captures.sort(),
    skipped: skipped.sort(),
    items: items.sort(),
    counts: { count, hosts, bytes, urls, skips, state },
  };
}

/** Every archived page can be read where the ledger says that it is. */
async function readAll(crawl: StackCrawl | StoredCrawl): Promise<number> {
  let read = 0;
  for await (const { url, warcFile, warcOffset } of crawl.urls()) {
    if (warcFile === undefined || warcOffset === undefined) continue;
    const record = await crawl.readRecord({ file: warcFile, offset: warcOffset });
    expect(record.url).toBe(url);
    read++;
  }
  return read;
}

describe('a crawl is pushed from its folder to a stack', () => {
  test('is there as it was, and continues without fetching a page again', async () => {
    const folder = await crawledFolder(10);
    const here = await openCrawl(folder);
    const before = await saidBy(here);
    expect(before.counts).toMatchObject({ count: 10, state: 'limited' });
    expect(before.items.length).toBeGreaterThan(8);
    await here.close();
    await inWorld(async (world) => {
      const copied = await pushCrawl(folder, world.connection, { crawl: 'c' });
      expect(copied).toMatchObject({ crawl: 'c', hosts: 1, warcFiles: 1, items: before.items.length });
      const there = await openStackCrawl(world.connection, 'c');
      expect(await saidBy(there)).toEqual(before);
      expect(await readAll(there)).toBeGreaterThan(9);
      await there.resume({ maxPages: 1000 });
      expect(await there.done).toMatchObject({ state: 'finished', pages: COUNT + 1 });
      const fetched = before.known.map((row) => JSON.parse(row)).filter(({ status }) => status === 'fetched');
      const again = world.web.requests.filter(({ url }) => fetched.some((row) => row.url === url));
      expect(again).toEqual([]);
      expect(new Set((await all(there.captures())).map(({ url }) => url)).size).toBeGreaterThan(COUNT);
    });
  });

  test('with links that no ledger knows yet', async () => {
    const folder = await crawledFolder(1000);
    await using here = await openCrawl(folder);
    pages = { ...pages, [`${root}/late`]: [] };
    await here.addSeeds([`${root}/late`]);
    await inWorld(async (world) => {
      await pushCrawl(folder, world.connection, { crawl: 'c' });
      const there = await openStackCrawl(world.connection, 'c');
      expect(await there.summary()).toMatchObject({ state: 'paused' });
      await there.resume();
      await there.done;
      expect(await there.url(`${root}/late`)).toMatchObject({ status: 'fetched' });
      expect(world.web.requests.map(({ url }) => url).filter((url) => !url.endsWith('robots.txt'))).toEqual([
        `${root}/late`,
      ]);
    });
  });

  test('is continued after an interruption, and not resumed before its copy is complete', async () => {
    const folder = await crawledFolder(10);
    await using here = await openCrawl(folder);
    await inWorld(async (world) => {
      const { connection } = world;
      const { engine } = connection.copies;
      const ledgers = {
        ...engine.ledgers,
        async importHead() {
          throw new Error('the network is gone');
        },
      };
      const broken = { ...connection, copies: { ...connection.copies, engine: { ...engine, ledgers } } };
      await expect(pushCrawl(folder, broken, { crawl: 'c' })).rejects.toThrow('the network is gone');
      const there = await openStackCrawl(connection, 'c');
      expect(await there.summary()).toMatchObject({ state: 'paused', reason: 'it is being copied here' });
      await expect(there.resume()).rejects.toThrow(/being copied here/);
      await expect(there.addSeeds([`${root}/x`])).rejects.toThrow(/being copied here/);
      await pushCrawl(folder, connection, { crawl: 'c' });
      expect(await saidBy(there)).toEqual(await saidBy(here));
    });
  });

  test('beside a crawl of that name, or with settings that the stack refuses, it is refused', async () => {
    const folder = await crawledFolder(3);
    await inWorld(async (world) => {
      await begunOnStack(world);
      await expect(pushCrawl(folder, world.connection, { crawl: 'c' })).rejects.toThrow(
        /^There is a crawl "c" already: give this one another name/,
      );
      const lock = lockFolder(folder);
      await expect(pushCrawl(folder, world.connection, { crawl: 'd' })).rejects.toMatchObject({
        name: 'FolderInUse',
      });
      lock.release();
      await expect(pushCrawl(newFolder(), world.connection, {})).rejects.toMatchObject({ name: 'NoCrawl' });
    });
  });
});

describe('a crawl is pulled from a stack to a folder', () => {
  test('is here as it was there, and continues without fetching a page again', async () => {
    const folder = newFolder();
    const before = await inWorld(async (world) => {
      const there = await begunOnStack(world, { maxPages: 12, delayMs: 0 });
      await there.done;
      const copied = await pullCrawl(world.connection, 'c', folder);
      expect(copied).toMatchObject({ crawl: 'c', hosts: 1 });
      expect(existsSync(`${folder}.pull`)).toBe(false);
      return saidBy(there);
    });
    const here = await openCrawl(folder);
    expect(await saidBy(here)).toEqual(before);
    expect(await readAll(here)).toBeGreaterThan(11);
    await here.close();
    asked = [];
    const resumed = await resumeCrawl(folder, { maxPages: 1000, trustSettings: true });
    expect(await resumed.done).toMatchObject({ state: 'finished', pages: COUNT + 1 });
    expect(asked.filter((url) => !url.endsWith('/robots.txt'))).toHaveLength(COUNT + 1 - 12);
  });

  test('with WARC files that were joined', async () => {
    const folder = newFolder();
    const before = await inWorld(
      async (world) => {
        const there = await begunOnStack(world, { delayMs: 0 });
        await there.done;
        await there.addSeeds([`${root}/other`]);
        await world.time.sleep(4 * HOUR);
        await pullCrawl(world.connection, 'c', folder);
        return saidBy(there);
      },
      { hasCompactor: true },
    );
    expect(readdirSync(join(folder, 'archive'))).toEqual([expect.stringMatching(/^joined-/)]);
    await using here = await openCrawl(folder);
    expect(await saidBy(here)).toEqual(before);
    expect(await readAll(here)).toBe(COUNT + 2);
    expect(await here.url(`${root}/1`)).toMatchObject({ warcFile: expect.stringMatching(/^joined-/) });
    const wacz = Buffer.concat(await all(here.wacz()));
    expect([...unzip(wacz).keys()].some((name) => name.startsWith('archive/joined-'))).toBe(true);
    await here.addSeeds([`${root}/more`]);
    expect(await (await resumeCrawl(folder, { trustSettings: true })).done).toMatchObject({
      state: 'finished',
    });
    expect(await readAll(here)).toBe(COUNT + 3);
  });

  test('with what its pages brought, back to the stack under another name', async () => {
    const folder = newFolder();
    await inWorld(
      async (world) => {
        const there = await begunOnStack(world, { delayMs: 0 });
        await there.done;
        await world.time.sleep(4 * HOUR);
        await pullCrawl(world.connection, 'c', folder);
        await pushCrawl(folder, world.connection, { crawl: 'd', trustSettings: true });
        const again = await openStackCrawl(world.connection, 'd');
        expect(await saidBy(again)).toEqual(await saidBy(there));
        expect(await readAll(again)).toBe(await readAll(there));
      },
      { hasCompactor: true, project: { onPage } },
    );
  });

  test('while it runs, or into a folder with files, it is refused; an interrupted one continues', async () => {
    await inWorld(async (world) => {
      const { connection } = world;
      const there = await begunOnStack(world);
      const folder = newFolder();
      await expect(pullCrawl(connection, 'c', folder)).rejects.toThrow(/is running: pause it first/);
      await expect(pullCrawl(connection, 'none', folder)).rejects.toThrow(ControlError);
      await world.time.sleep(20_000);
      await there.pause();
      mkdirSync(folder);
      writeFileSync(join(folder, 'mine'), '');
      await expect(pullCrawl(connection, 'c', folder)).rejects.toMatchObject({ name: 'FolderNotEmpty' });
      rmSync(folder, { recursive: true });
      const steps: string[] = [];
      const stopAt = ({ step }: { readonly step: string }) => {
        steps.push(step);
        if (step === 'hosts') throw new Error('the machine was switched off');
      };
      await expect(pullCrawl(connection, 'c', folder, { onProgress: stopAt })).rejects.toThrow(
        'switched off',
      );
      expect(existsSync(folder)).toBe(false);
      expect(steps).toContain('wait');
      await pullCrawl(connection, 'c', folder);
      const here = await openCrawl(folder);
      expect(await saidBy(here)).toEqual(await saidBy(there));
      await here.close();
      await expect(pullCrawl(connection, 'c', folder)).rejects.toMatchObject({ name: 'CrawlExists' });
    });
  });
});
