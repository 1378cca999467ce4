/** A crawl that is begun by one version of the program and goes on with others. */
import { expect } from 'vitest';
import { decodeMember, fieldOf } from '../../shared/core/archive/read-warc.ts';
import type { Engine } from '../../shared/crawler/ports/engine.ts';
import { ledgersOf } from '../crawler/worker/world.ts';
import { loadPreviousProgram } from './previous-program.ts';
import { type ProgramOptions, startProgram as startPresent } from './program.ts';
import { SITE } from './site.ts';

export type Version = 'previous' | 'present';

export interface RollbackPlace {
  readonly engine: Engine;
  /** The requests so far. */
  requested(): readonly string[];
  optionsOf(version: Version): Omit<ProgramOptions, 'crawl' | 'begin'>;
  /** Resolves when it is so. Throws if that takes too long. */
  until(isSo: () => boolean): Promise<void>;
  readRecord(crawl: string, location: Location): Promise<Uint8Array>;
}

interface Location {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** Settings that the previous version knows, too. */
const CONFIG = {
  scope: 'any',
  turnMaxMs: 3000,
  contact: 'https://sim.test/',
  adaptive: false,
  totalTimeoutMs: 10_000,
  hookTimeoutMs: 5000,
} as const;

/** A URL as an export shows it. */
export interface Row {
  readonly state: string;
  readonly depth: number;
  readonly httpStatus: number | undefined;
  readonly digest: string;
}

/**
 * Crawls the site to its end and returns a row for each URL. `versions`: whose program runs, one after the other, from
 * the begin of the crawl on.
 */
export async function crawlSite(
  place: RollbackPlace,
  { crawl, delayMs, versions }: { crawl: string; delayMs: number; versions: readonly Version[] },
): Promise<Record<string, Row>> {
  const all = Object.keys(SITE);
  const pages = () => place.requested().filter((url) => SITE[url]);
  for (const [i, version] of versions.entries()) {
    const { startProgram } = version === 'previous' ? loadPreviousProgram() : { startProgram: startPresent };
    const begin = i > 0 ? undefined : { seed: all[0] as string, config: { ...CONFIG, delayMs } };
    const program = startProgram({ ...place.optionsOf(version), crawl, ...(begin && { begin }) });
    const share = (i + 1) / versions.length;
    await place.until(() => program.errors.length > 0 || new Set(pages()).size >= all.length * share);
    program.stop();
    await program.ended;
    expect(program, version).toMatchObject({ errors: [], newer: [] });
  }
  expect(pages().toSorted(), 'each page is requested once').toEqual(all.toSorted());
  return rowsOf(place, crawl);
}

async function rowsOf({ engine, readRecord }: RollbackPlace, crawl: string): Promise<Record<string, Row>> {
  const rows: Record<string, Row> = {};
  for (const { records } of (await ledgersOf(engine, crawl)).values())
    for (const { url, state, depth, result } of records.values()) {
      const { location, httpStatus, digest } = result ?? {};
      expect(location, `${url} has a place in the archive`).toBeDefined();
      const record = decodeMember(await readRecord(crawl, location as Location));
      expect(fieldOf(record, 'WARC-Target-URI')).toBe(url);
      rows[url] = { state, depth, httpStatus, digest: Buffer.from(digest ?? []).toString('hex') };
    }
  return rows;
}
