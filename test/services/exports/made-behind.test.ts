import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import type { ExportContext } from '../../../shared/services/exports/export-context.ts';
import { type Making, madeBehind } from '../../../shared/services/exports/made-behind.ts';
import type { LedgerPlace } from '../../../shared/services/exports/walk-ledgers.ts';

const HOSTS = ['a.test', 'b.test', 'c.test'];
const URLS_OF_HOST = 30;

async function ledgersOf() {
  const parts = new Map<string, Uint8Array>();
  const hosts: { host: string; head: Head }[] = [];
  for (const host of HOSTS) {
    const ledger = await HostLedger.open(host, NEW_HEAD.ledger, async () => new Uint8Array());
    for (let n = 0; n < URLS_OF_HOST; n++)
      ledger.merge({ url: `https://${host}/${n}`, depth: 0, isSeed: true }, 0);
    const commit = await ledger.prepareCommit('1');
    for (const { name, bytes } of commit.parts) parts.set(`${host} ${name}`, bytes);
    hosts.push({ host, head: { ...NEW_HEAD, version: 1, ledger: commit.index } });
  }
  return {
    hostPage: async () => ({ hosts }),
    readPart: async (_crawl: string, host: string, name: string) => parts.get(`${host} ${name}`),
  };
}

/** The number in a URL's path. */
const numberOf = (url: string): number => Number(url.slice(url.lastIndexOf('/') + 1));

interface Seen {
  readonly values: string[];
  readonly skipped: string[];
}

/** Runs slices until all is done. `late`: whether the slice should end, at each look. Reads `ahead` records at once. */
async function inSlices(
  ledgers: Awaited<ReturnType<typeof ledgersOf>>,
  isWanted: (url: string) => boolean,
  late: () => boolean,
  ahead: number,
): Promise<Seen> {
  const seen: Seen = { values: [], skipped: [] };
  let isLate = false;
  const look = () => {
    isLate ||= late();
    return isLate;
  };
  const context = {
    ...{ crawl: 'c', rows: { ledgers }, hosts: HOSTS.length },
    ...{ isLate: look, isOver: look, skip: () => {} },
  } as unknown as ExportContext;
  const making: Making<string> = {
    what: 'value',
    isWanted: ({ url }) => isWanted(url),
    async *make(records, skip) {
      let held: string[] = [];
      function* made() {
        for (const url of held) {
          if (numberOf(url) % 5 === 4) skip(url, 'a reason');
          yield numberOf(url) % 5 < 3 ? url : undefined;
        }
        held = [];
      }
      for await (const { url } of records) if (held.push(url) >= ahead) yield* made();
      yield* made();
    },
  };
  let from: LedgerPlace | undefined;
  for (;;) {
    isLate = false;
    let isCut = false;
    for await (const { value, isSkipped, after } of madeBehind(context, from, making)) {
      from = after;
      if (value !== undefined) seen.values.push(value);
      if (isSkipped) seen.skipped.push('one');
      isCut = look();
      if (isCut) break;
    }
    if (!isCut) return seen;
  }
}

test('values are made of wanted records alone, each once, wherever slices end', async () => {
  const ledgers = await ledgersOf();
  const all = new Set<string>();
  await inSlices(
    ledgers,
    (url) => !!all.add(url),
    () => false,
    1,
  );
  expect(all.size).toBe(HOSTS.length * URLS_OF_HOST);
  await fc.assert(
    fc.asyncProperty(
      fc.func(fc.boolean()),
      fc.infiniteStream(fc.integer({ min: 0, max: 6 })),
      fc.integer({ min: 1, max: 4 }),
      async (choose, looks, ahead) => {
        const isWanted = (url: string) => choose(url);
        const wanted = [...all].filter(isWanted);
        const seen = await inSlices(ledgers, isWanted, () => looks.next().value === 0, ahead);
        expect(seen.values).toEqual(wanted.filter((url) => numberOf(url) % 5 < 3));
        expect(seen.skipped).toHaveLength(wanted.filter((url) => numberOf(url) % 5 === 4).length);
      },
    ),
    { numRuns: 60 },
  );
});

test('a slice ends among records of which nothing is made', async () => {
  const ledgers = await ledgersOf();
  let looks = 0;
  const seen = await inSlices(
    ledgers,
    (url) => url === 'https://c.test/0',
    () => ++looks % 7 === 0,
    1,
  );
  expect(seen.values).toEqual(['https://c.test/0']);
  expect(looks).toBeGreaterThan(HOSTS.length * URLS_OF_HOST);
});

test('a record that was skipped is let go before many more are read', async () => {
  const ledgers = await ledgersOf();
  const context = {
    ...{ crawl: 'c', rows: { ledgers }, hosts: HOSTS.length },
    ...{ isLate: () => false, isOver: () => false, skip: () => {} },
  } as unknown as ExportContext;
  let read = 0;
  const places = madeBehind<string>(context, undefined, {
    what: 'value',
    isWanted: () => ++read > 0,
    async *make(records, skip) {
      for await (const { url } of records) {
        skip(url, 'a reason');
        yield undefined;
      }
    },
  });
  expect((await places.next()).value).toMatchObject({ isSkipped: true });
  expect(read).toBe(1);
  await places.return(undefined);
});
