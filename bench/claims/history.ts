/**
 * The history of a URL of a host with a million captures, in the archive of one machine: while its WARC file is being
 * written, and when it is closed and has its index.
 *
 *     npm run bench -- history [CAPTURES]
 *
 * The captures that are looked up are real records; all others have the bytes of one, and index lines of their own.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { encodeCapture } from '../../shared/core/archive/capture.ts';
import { parseCdxjLine } from '../../shared/core/archive/parse-cdxj-line.ts';
import { surt } from '../../shared/core/archive/surt.ts';
import { historyOf } from '../../shared/core/archive/url-history.ts';
import type { WarcMember } from '../../shared/core/archive/warc-member.ts';
import { recordId } from '../../shared/core/archive/warc-record.ts';
import { encodeWarcinfo } from '../../shared/core/archive/warcinfo.ts';
import { openFileArchive } from '../../shared/engines/local/archive/archive.ts';
import { listWarcFiles } from '../../shared/engines/local/archive/archive-names.ts';
import { cdxjLinesOf, placesPath } from '../../shared/engines/local/archive/cdxj-files.ts';
import { createWarcJournal } from '../../shared/engines/local/archive/warc-journal.ts';
import { openDatabase } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { captureOf } from '../../test/core/archive/captures.ts';
import type { BenchOptions } from '../claims.ts';
import { type Measured, median } from '../harness/record.ts';

const CAPTURES = 1_000_000;
/** Captures of each URL. */
const VISITS = 50;
/** URLs that are looked up. */
const LOOKED_UP = 20;
const BATCH = 500;

export async function measure({ words: [given] }: BenchOptions): Promise<Measured> {
  const captures = given === undefined ? CAPTURES : Number(given);
  const urls = Math.max(LOOKED_UP, Math.floor(captures / VISITS));
  const folder = mkdtempSync(join(tmpdir(), 'strand-history-'));
  try {
    const paths = foldersOf(folder);
    mkdirSync(paths.indexes, { recursive: true });
    const database = openDatabase(paths.database, 'write');
    const archive = await openFileArchive({
      folder: paths.archive,
      indexFolder: paths.indexes,
      prefix: 'bench',
      maxBytes: 1e12,
      keepsPlaces: true,
      warcinfo: (filename) => encodeWarcinfo({ id: newId(), filename, date: 0, software: 'bench' }),
      clock: systemClock,
      journal: createWarcJournal(database),
    });
    const step = Math.floor(urls / LOOKED_UP);
    const pattern = await encoded(urlOf(1), 0);
    let members: WarcMember[] = [];
    let lines: (string | undefined)[] = [];
    const flush = async () => {
      await archive.append(members, lines);
      [members, lines] = [[], []];
    };
    for (let n = 0; n < captures; n++) {
      const [url, visit] = [n % urls, Math.floor(n / urls)];
      const isReal = url % step === 0;
      const { members: own, capture } = isReal ? await encoded(urlOf(url), visit) : pattern;
      members.push(...own);
      const line = isReal
        ? capture
        : capture?.replace(surt(urlOf(1)), surt(urlOf(url))).replace(urlOf(1), urlOf(url));
      lines.push(line, ...own.slice(1).map(() => undefined));
      if (members.length >= BATCH) await flush();
    }
    await flush();
    await archive.flush();
    const [open] = await listWarcFiles(paths.archive);
    const beside = basename(placesPath(paths.indexes, open!.file));
    const places = readdirSync(paths.indexes)
      .filter((name) => name.startsWith(beside))
      .reduce((sum, name) => sum + statSync(join(paths.indexes, name)).size, 0);
    const { size } = statSync(open!.path);
    const look = () => lookUp(folder, urls, step, Math.floor(captures / urls));
    const openMs = await look();
    await archive.close();
    const closedMs = await look();
    database.close();
    return {
      figures: {
        openMs: {
          value: median(openMs),
          unit: 'ms for the history of a URL in a file that is being written',
        },
        openMaxMs: { value: Math.max(...openMs), unit: 'ms at most' },
        closedMs: { value: median(closedMs), unit: 'ms in a file that is closed' },
        closedMaxMs: { value: Math.max(...closedMs), unit: 'ms at most' },
        placesBytes: { value: places / captures, unit: 'bytes a capture for the places' },
      },
      detail: `${captures} captures of ${urls} URLs of one host, ${(size / 1e6).toFixed(0)} MB`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The ms of each look-up. */
async function lookUp(folder: string, urls: number, step: number, visits: number): Promise<number[]> {
  const times: number[] = [];
  for (let url = 0; url < urls && times.length < LOOKED_UP; url += step) {
    const begun = performance.now();
    const lines = await cdxjLinesOf(folder, surt(urlOf(url)));
    const history = historyOf(
      urlOf(url),
      lines.map((line) => parseCdxjLine(line, folder)),
    );
    times.push(performance.now() - begun);
    if (history.length < visits) throw new Error(`${urlOf(url)} has ${history.length} captures of ${visits}`);
  }
  return times;
}

const newId = () => recordId(systemClock.uuid());
const urlOf = (n: number): string => `http://history.test/section/page-${String(n).padStart(7, '0')}.html`;

async function encoded(url: string, visit: number) {
  const body = Buffer.from(`<title>Page</title><p>Visit ${visit} of ${url}`);
  const startedAt = Date.UTC(2026, 0, 1) + visit * 86_400_000;
  return encodeCapture(captureOf({ url, body, startedAt }), { newId });
}
