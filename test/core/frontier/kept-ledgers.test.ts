/** Ledgers over many turns with small runs and segments: each answer, and what each commit stores, is the same in each version. */
import { expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import type { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import type { Link } from '../../../shared/core/frontier/message.ts';
import { isAtEnd, type RunEntry } from '../../../shared/core/frontier/run.ts';
import { partsOfRun } from '../../../shared/core/frontier/run-stack.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { openGolden } from '../../golden.ts';
import { type Draw, draws, inPieces, shown } from '../../long-trace.ts';
import { createHost, HOST, NOW } from './stored-host.ts';

const golden = openGolden('kept-ledgers.txt', import.meta.url);
const SMALL = {
  ...SIZES,
  ...{ maxSegments: 3, maxSegmentRecords: 12, maxFreshRecords: 20, runRatio: 2, maxRunUrls: 70 },
  ...{ blockRecords: 4, readAheadBytes: 300 },
};
const DAY = 86_400_000;

const urlOf = (n: number) => `${n % 5 === 0 ? 'http' : 'https'}://${HOST}/p${n % 7}/${n}`;

const linkFrom = (draw: Draw, urls: number): Link => ({
  ...{ url: urlOf(draw.int(urls)), depth: draw.of([0, 1, 1, 2, 3, 20]) },
  ...{ via: draw.of([undefined, `https://b.test/${draw.int(99)}`]), redirects: draw.of([undefined, 1]) },
  kind: draw.of([undefined, undefined, undefined, 'requisite', 'requisite', 'sitemap']),
  isSeed: draw.chance(0.05) || undefined,
});

/** The record as a fetch leaves it. */
function settled(draw: Draw, record: UrlRecord, now: number): UrlRecord {
  const state = draw.of([
    'fetched',
    'fetched',
    'fetched',
    'gone',
    'redirect',
    'failed',
    'skipped',
    'waiting',
  ] as const);
  if (state === 'waiting') {
    const dueAt = draw.of([0, now + 1500, now + 90_000]);
    return { ...record, state, dueAt, attempts: record.attempts + 1 };
  }
  const isRefetch = draw.chance(0.5);
  return {
    ...record,
    state,
    dueAt: isRefetch ? now + draw.of([1, 2, 9]) * 40_000 + draw.int(999) : 0,
    result: {
      ...{ fetchedAt: now, httpStatus: draw.of([200, 304, 404]), contentType: draw.of(['text/html', 'a/b']) },
      ...{
        digest: Uint8Array.from({ length: 20 }, () => draw.int(256)),
        bodyBytes: draw.int(5000),
        tookMs: 7,
      },
      ...(draw.chance(0.3) && { duplicateOf: urlOf(draw.int(50)) }),
      ...(draw.chance(0.7) && { location: { file: `f${draw.int(3)}`, offset: draw.int(9999), length: 50 } }),
      ...(state === 'failed' && { cause: { code: 'other', text: 'broken' } as const }),
    },
    ...(isRefetch && {
      recrawl: {
        history: draw.int(2 ** 24),
        rate: 9,
        changedAt: now,
        misses: draw.int(3),
        capturedAt: now - DAY,
      },
    }),
  };
}

const cursorText = (cursor: RunEntry['ready'] | undefined) =>
  cursor && [cursor.skip, cursor.rank, cursor.dueAt, isAtEnd(cursor)];

async function turn(draw: Draw, ledger: HostLedger, now: number, note: (...values: unknown[]) => void) {
  const urls = 140;
  const taken: UrlRecord[] = [];
  for (let n = draw.int(14); n > 0; n--) {
    const link = linkFrom(draw, urls);
    note('merge', link, ledger.merge(link, now));
  }
  for (let n = draw.int(9); n > 0; n--) {
    const way = draw.int(4);
    const record =
      way === 3
        ? await ledger.nextRefetch(now)
        : await ledger.next(now, way === 0 ? draw.chance(0.5) : undefined, way === 1);
    note('take', way, record);
    if (record) taken.push(record);
    if (draw.chance(0.3) && taken[0]) {
      const link = { ...linkFrom(draw, urls), url: taken[0].url };
      note('merge a taken one', link, ledger.merge(link, now));
      note('amend a taken one', ledger.amend(taken[0]), ledger.replaceOutcome(taken[0]));
    }
    const times = [ledger.nextDueAt(now), ledger.nextDueAt(now, true), ledger.refetchDueAt()];
    note('times', times, ledger.waitingRequisites, ledger.changes, ledger.approximateBytes);
  }
  for (const record of taken) {
    const { before, after } = ledger.settle(settled(draw, record, now));
    note('settle', before, after);
  }
  const some = Array.from({ length: 6 }, () => urlOf(draw.int(urls)));
  let pauses = 0;
  const again = await ledger.findAgain(some, async () => void pauses++);
  note('find again', again, pauses);
  for (const record of again.slice(0, 2)) {
    const isOld = draw.chance(0.2);
    const result = isOld ? { ...record.result, fetchedAt: 5 } : record.result;
    ledger.amend({ ...record, result: result as UrlRecord['result'], dueAt: now + draw.int(9e5) + 1 });
  }
  for (const url of some) {
    const outcome = await ledger.outcome(url);
    const known = [
      ledger.has(url),
      outcome?.state,
      outcome?.isDuplicateOf(urlOf(7)),
      await ledger.lookUp(url),
    ];
    note('known', url, ...known);
  }
  for (const record of [...ledger.inMemory()].filter(({ state }) => state !== 'waiting').slice(0, 1))
    note(
      'replace',
      ledger.replaceOutcome({ ...record, state: draw.of(['gone', 'skipped'] as const), depth: 99 }),
    );
  const extra = { ...(await ledger.lookUp(urlOf(1))), url: urlOf(200 + draw.int(40)) } as UrlRecord;
  if (extra.depth !== undefined) ledger.addSettled({ ...extra, state: 'skipped', dueAt: 0, kind: undefined });
}

async function trace(seed: number, turns: number): Promise<string[]> {
  const draw = draws(seed);
  const host = createHost(SMALL);
  const lines: string[] = [];
  const note = (...values: unknown[]) => void lines.push(shown(values));
  let kept: HostLedger | undefined;
  for (let n = 0; n < turns; n++) {
    const now = NOW + n * 30_000;
    // Another worker, or the one that had it last.
    const ledger: HostLedger = kept && draw.chance(0.4) ? kept : await host.open();
    await turn(draw, ledger, now, note);
    if (draw.chance(0.1)) {
      kept = undefined;
      continue;
    }
    const { parts, obsolete } = await host.commit(ledger);
    kept = ledger;
    const { segments, runs, counts, waitingRequisites } = host.index;
    const shownRuns = runs.map(({ id, urls, ready, later, again }) => [
      id,
      urls,
      ...[ready, later, again].map(cursorText),
    ]);
    note(
      'commit',
      parts.map(({ name }) => name),
      obsolete,
      segments,
      counts,
      waitingRequisites,
      ledger.changes,
    );
    note('runs', shownRuns);
    expect([...host.parts.keys()].sort()).toEqual([...segments, ...runs.flatMap(partsOfRun)].sort());
  }
  const all: UrlRecord[] = [];
  for await (const record of (await host.open()).records()) all.push(record);
  for (const record of all) note(record);
  return lines;
}

test.each([1, 2, 3])('a ledger in small parts (%i)', async (seed) => {
  golden.compare(`ledger ${seed}`, inPieces(await trace(seed, 45), 200));
});
