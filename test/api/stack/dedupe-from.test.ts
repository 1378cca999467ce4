/** Crawls of a simulated stack that do not store again what earlier crawls have stored. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { pullCrawl } from '../../../api/stack/copy/pull-crawl.ts';
import { openStackCrawl } from '../../../api/stack/open-stack-crawl.ts';
import { beginStackCrawl, readStackOptions } from '../../../api/stack/start-stack-crawl.ts';
import type { StackCrawl } from '../../../api/stack-crawl.ts';
import type { WarcFields } from '../../../simulation/invariants/warc.ts';
import { archivedResponses, originalOf, readWarcRecords } from '../../../simulation/invariants/warc.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { type DeployedWorld, deployedWorld } from './deployed-world.ts';

const HOUR = 3_600_000;
const COUNT = 30;
const page = (n: number) => `http://a.test/${n}`;
/** A row of pages, the last of which has the bytes of none. */
const PAGES = Object.fromEntries(
  Array.from({ length: COUNT }, (_, n) => [page(n), n + 1 < COUNT ? [`/${n + 1}`] : []]),
);

async function inWorld<T>(script: (world: DeployedWorld) => Promise<T>, options = {}): Promise<T> {
  const world = deployedWorld(PAGES, options);
  const outcome = await drive(world.time, script(world));
  world.deployment.stop();
  return outcome;
}

async function begin(world: DeployedWorld, crawl: string, more = {}): Promise<StackCrawl> {
  const options = {
    ...{ stack: 'Strand', crawl, seeds: [page(0)], contact: 'https://sim.test/', delayMs: 1000 },
    ...more,
  };
  const begun = await beginStackCrawl(world.connection, readStackOptions(options));
  return openStackCrawl(world.connection, begun.crawl);
}

async function crawled(world: DeployedWorld, crawl: string, more = {}): Promise<StackCrawl> {
  const begun = await begin(world, crawl, more);
  expect(await begun.done).toMatchObject({ state: 'finished', pages: COUNT });
  return begun;
}

/** The WARC files of the crawl, and the fields of their records. */
function archiveOf({ cloud }: DeployedWorld, crawl: string) {
  const objects = [...cloud.s3.objects(cloud.settings.bucket)];
  const files = new Map(
    objects.flatMap(([name, { bytes }]) =>
      name.startsWith(`warc/${crawl}/`) && name.endsWith('.warc.gz') ? [[name, bytes]] : [],
    ),
  );
  const records = [...files.values()].flatMap((bytes): WarcFields[] => readWarcRecords(gunzipSync(bytes)));
  const ofType = (type: string) => records.filter((fields) => fields.get('warc-type') === type);
  return { files, ids: new Set(ofType('response').map((fields) => fields.get('warc-record-id'))), ofType };
}

const pagesOf = (records: readonly WarcFields[]): string[] =>
  records.map((fields) => fields.get('warc-target-uri')!).filter((url) => !url.endsWith('robots.txt'));
const refersTo = (records: readonly WarcFields[]) => records.map((fields) => fields.get('warc-refers-to'));

test('a crawl refers to the payloads of an earlier one, also of the one that this refers to, joined or not', async () => {
  await inWorld(
    async (world) => {
      await crawled(world, 'first');
      // The compactor has joined its files by then.
      await world.time.sleep(6 * HOUR);
      const first = archiveOf(world, 'first');
      expect([...first.files.keys()]).toEqual([expect.stringContaining('/joined-')]);
      await crawled(world, 'second', { dedupeFrom: 'first' });
      await crawled(world, 'third', { dedupeFrom: 'second' });
      for (const crawl of ['second', 'third']) {
        const { ofType } = archiveOf(world, crawl);
        const revisits = ofType('revisit');
        expect(new Set(pagesOf(revisits)).size).toBe(COUNT);
        expect(pagesOf(ofType('response'))).toEqual([]);
        for (const id of refersTo(revisits)) expect(first.ids).toContain(id);
        const responses = archivedResponses(first.files);
        for (const fields of revisits) expect(responses).toContain(originalOf(fields));
      }
      expect(await world.connection.registry.load('third')).toMatchObject({
        dedupeFrom: ['second', 'first'],
      });
    },
    { hasCompactor: true },
  );
});

test('without dedupeFrom, and without revisits, all is stored', async () => {
  await inWorld(async (world) => {
    await crawled(world, 'first');
    await crawled(world, 'second');
    expect(pagesOf(archiveOf(world, 'second').ofType('response'))).toHaveLength(COUNT);
    await crawled(world, 'third', { dedupeFrom: 'first', revisits: false });
    expect(pagesOf(archiveOf(world, 'third').ofType('response'))).toHaveLength(COUNT);
  });
});

test('is refused by a stack that deletes WARC files after some days', async () => {
  await inWorld(
    async (world) => {
      await crawled(world, 'first');
      await expect(begin(world, 'second', { dedupeFrom: 'first' })).rejects.toMatchObject({
        message: expect.stringContaining('deletes WARC files after 30 days (archiveDays)'),
        field: 'dedupeFrom',
      });
    },
    { archiveDays: 30 },
  );
});

test('a copy on this machine lacks the payloads, and says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'strand-dedupe-'));
  try {
    await inWorld(async (world) => {
      await crawled(world, 'first');
      await crawled(world, 'second', { dedupeFrom: 'first' });
      const { lacks } = await pullCrawl(world.connection, 'second', join(folder, 'c'));
      expect(lacks).toEqual([expect.stringContaining('in the archives of "first": keep those')]);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('an archive that others refer to', () => {
  const ARCHIVE = { archive: true };

  test('is deleted after theirs, and its state at any time', async () => {
    await inWorld(async (world) => {
      const { control, deletions } = world.connection;
      await crawled(world, 'first');
      await crawled(world, 'second', { dedupeFrom: 'first' });
      await crawled(world, 'third', { dedupeFrom: 'second' });
      const refusal = control.delete('first', ARCHIVE);
      await expect(refusal).rejects.toMatchObject({ code: 'conflict', field: 'archive' });
      await expect(refusal).rejects.toThrow('The archives of "second", "third" refer to payloads');
      expect(await control.status('first')).toMatchObject({ state: 'finished' });
      expect(await control.delete('first')).toMatchObject({ state: 'deleting', archive: false });
      const deleted = async (crawl: string) => {
        await control.delete(crawl, ARCHIVE);
        await world.time.sleep(HOUR);
        return deletions.proceed(crawl);
      };
      expect(await deleted('third')).toMatchObject({ archive: true, deletedAt: expect.any(Number) });
      await expect(control.delete('first', ARCHIVE)).rejects.toThrow('The archives of "second" refer');
      expect(await deleted('second')).toMatchObject({ archive: true });
      expect(archiveOf(world, 'second').files.size).toBe(0);
      expect(archiveOf(world, 'first').files.size).toBeGreaterThan(0);
      expect(await deleted('first')).toMatchObject({ archive: true });
      expect(archiveOf(world, 'first').files.size).toBe(0);
    });
  });

  test('stays if they begin at the moment of its deletion', async () => {
    await inWorld(async (world) => {
      const { connection } = world;
      const { control, deletions } = connection;
      await crawled(world, 'first');
      expect(await control.delete('first', ARCHIVE)).toMatchObject({ archive: true });
      // As a process notes it that has looked for a deletion before this one was noted.
      await connection.copies.control.referrers?.add('late', ['first']);
      await world.time.sleep(HOUR);
      expect(await deletions.proceed('first')).toMatchObject({
        archive: false,
        archiveKeptFor: ['late'],
        deletedAt: expect.any(Number),
      });
      expect(archiveOf(world, 'first').files.size).toBeGreaterThan(0);
      expect(await control.delete('first')).toMatchObject({ state: 'deleted', archiveKeptFor: ['late'] });
    });
  });

  test('cannot be one that is being deleted, or is not there, and nothing is left of the attempt', async () => {
    await inWorld(async (world) => {
      const { control } = world.connection;
      await expect(begin(world, 'second', { dedupeFrom: 'first' })).rejects.toThrow(
        'There is no crawl "first" to be deduplicated from',
      );
      await expect(begin(world, 'second', { dedupeFrom: '../x' })).rejects.toThrow();
      await crawled(world, 'first');
      await control.delete('first', ARCHIVE);
      await expect(begin(world, 'second', { dedupeFrom: 'first' })).rejects.toThrow('is being deleted');
      expect(await control.delete('first', ARCHIVE)).toMatchObject({ archive: true });
    });
  });
});
