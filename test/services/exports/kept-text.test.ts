import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import { ExportFolder } from '../../../shared/engines/local/exports/export-folder.ts';
import type { ExportContext } from '../../../shared/services/exports/export-context.ts';
import { KeptText } from '../../../shared/services/exports/kept-text.ts';
import { listedRows, listRows } from '../../../shared/services/exports/list-stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'strand-kept-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const URLS = Array.from({ length: 20 }, (_, n) => `https://a.test/${n}`);

async function contextOf(name: string) {
  const ledger = await HostLedger.open('a.test', NEW_HEAD.ledger, async () => new Uint8Array());
  for (const url of URLS) ledger.merge({ url, depth: 0, isSeed: true }, 0);
  const commit = await ledger.prepareCommit('1');
  const head: Head = { ...NEW_HEAD, version: 1, ledger: commit.index };
  const bytesOf = new Map(commit.parts.map((part) => [part.name, part.bytes]));
  const work = join(folder, name);
  const ledgers = {
    hostPage: async () => ({ hosts: [{ host: 'a.test', head }] }),
    readPart: async (_crawl: string, _host: string, part: string) => bytesOf.get(part),
  };
  const context = {
    ...{ crawl: 'c', rows: { ledgers }, hosts: 1, objects: new ExportFolder(folder, work) },
    ...{ isLate: () => false, isOver: () => false, maxFileBytes: 100 },
  } as unknown as ExportContext;
  return { context, work };
}

test('the list of the files of one host is kept piece by piece', async () => {
  const { context, work } = await contextOf('list');
  const slice = await listRows(context, undefined, {}, ({ url }) => url);
  expect(readdirSync(work).length).toBeGreaterThan(3);
  expect((await listedRows<string>(context, slice.facts!)).sort()).toEqual([...URLS].sort());
});

test('text goes on in pieces of its own in the next slice, and none is empty', async () => {
  const { context, work } = await contextOf('text');
  const first = new KeptText(context, 'text');
  await first.add('a'.repeat(150));
  await first.add('bc');
  const kept = await first.end();
  const next = new KeptText(context, 'text', kept);
  await next.add('d');
  expect(await next.end()).toEqual([
    ['text-0', 150],
    ['text-1', 2],
    ['text-2', 1],
  ]);
  expect(await new KeptText(context, 'other').end()).toEqual([]);
  expect(readdirSync(work)).toHaveLength(3);
});
