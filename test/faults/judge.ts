/**
 * Judges a finished world by the log of the web, which the crawler does not write, by the truth of that web,
 * and by the bytes in the folder. What is excused is only what the folder had not committed when a process
 * died.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { summarize } from '../../api/local/summarize.ts';
import { openDatabase } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { checkLog } from '../web/check.ts';
import type { LogEntry } from '../web/server.ts';
import { closure, type Truth } from '../web/truth.ts';
import { type Committed, committedIn } from './committed.ts';
import { readContents } from './disk-model.ts';
import { judgeArchive } from './judge-archive.ts';
import type { Leg, World } from './world.ts';

export async function judge(world: World): Promise<string[]> {
  const { folder, running } = world;
  const truth = closure(running.web, { seeds: running.seeds, scope: 'host', robotsAgent: 'Strand' });
  const committed = await committedIn(folder);
  return [
    ...wrongRequests(world, truth),
    ...wrongStates(world, truth, committed),
    ...lost(world, committed),
    ...(await judgeArchive(folder, running.log, committed)),
    ...wrongItems(world, truth, committed),
    ...(await wrongCounts(world, committed)),
    ...garbage(folder),
  ];
}

const isFinal = (committed: Committed, url: string): boolean => {
  const state = committed.records.get(url)?.state;
  return state !== undefined && state !== 'waiting';
};

/**
 * A request is made again only if the process that made it died before it had committed the result: then, by
 * each later process, as often as it was made before.
 */
function excusedIn(legs: readonly Leg[]): (entry: LogEntry) => boolean {
  const startOf = (entry: LogEntry) => legs.findLastIndex(({ startedAt }) => startedAt <= entry.startedAt);
  const made = legs.map(() => new Map<string, number>());
  return (entry) => {
    const leg = startOf(entry);
    const url = `http://${entry.host}${entry.path}`;
    const before = legs[leg - 1]?.committed;
    const isKnown =
      entry.path === '/robots.txt'
        ? before?.robots.has(entry.host) && !outlivesRobots(legs[leg]!)
        : before && isFinal(before, url);
    if (leg < 1 || isKnown) return false;
    const here = made[leg]!;
    here.set(url, (here.get(url) ?? 0) + 1);
    return true;
  };
}

/** robots.txt is used for a day at most: by the machine's clock, which is all that two processes share. */
const outlivesRobots = ({ strike }: Leg): boolean =>
  strike?.fault.kind === 'clock' && Math.abs(strike.fault.ms) >= 86_400_000;

/**
 * When a thread dies its process continues: what was in progress is done again. A turn may have tried a URL
 * several times, all of which are lost with it: as many are made again as had been made when the harmful page
 * was requested.
 */
function excusedByHarm(
  { running: { log }, legs }: World,
  harmful: string | undefined,
): (entry: LogEntry) => boolean {
  const urlOf = ({ host, path }: LogEntry) => `http://${host}${path}`;
  const harmAt = log.find((entry) => urlOf(entry) === harmful)?.startedAt ?? 0;
  // A thread that freezes on a busy machine is replaced, too.
  const deaths = Math.max(
    1,
    legs.reduce((sum, { err }) => sum + err.split('; tried again').length - 1, 0),
  );
  const excused = new Map<string, number>();
  for (const entry of log) {
    const url = urlOf(entry);
    const made = excused.get(url) ?? 0;
    // The request in flight then, or the one after it, is one more.
    if (made === 0 || entry.startedAt <= harmAt) excused.set(url, made + deaths);
  }
  return (entry) => {
    const left = excused.get(urlOf(entry)) ?? 0;
    excused.set(urlOf(entry), left - 1);
    return left > 0;
  };
}

function wrongRequests(world: World, truth: Truth): string[] {
  const { scenario, running, legs, harmedBy } = world;
  const { delayMs, maxPages } = scenario;
  const harmful = harmedBy();
  return checkLog(running.web, running.log, {
    truth,
    delayMs,
    toleranceMs: 3,
    isComplete: maxPages === undefined,
    // A thread that a busy machine stops before the harm is done is replaced as well.
    allowRepeats: world.spec.harm === undefined ? excusedIn(legs) : excusedByHarm(world, harmful),
  });
}

/** Every URL has become what it is in truth; by a limit of pages, as many as it allows. */
function wrongStates(
  { spec, scenario: { maxPages }, harmedBy }: World,
  truth: Truth,
  { records }: Committed,
): string[] {
  const problems: string[] = [];
  for (const { url } of records.values())
    if (!truth.urls.has(url)) problems.push(`does not belong to the crawl: ${url}`);
  if (maxPages !== undefined) {
    const states = Object.groupBy(records.values(), ({ state }) => state);
    const { fetched = [], waiting = [] } = states;
    if (fetched.length !== maxPages)
      problems.push(`${fetched.length} pages were fetched, and the limit is ${maxPages}`);
    if (fetched.length + waiting.length !== records.size)
      problems.push(`URLs are ${Object.keys(states)}, and all could be fetched`);
    return problems;
  }
  const isLooping = spec.harm?.what === 'loop';
  for (const [url, { state, orState }] of truth.urls) {
    const found = records.get(url)?.state;
    // A page that blocks its thread is in quarantine from then on.
    if (isLooping && url === harmedBy() && found === 'failed') continue;
    if (found !== state && found !== orState)
      problems.push(`${url} is ${found ?? 'not known'}, and not ${state}`);
  }
  return problems;
}

/** Committed data stays as it was. */
function lost({ legs }: World, { records }: Committed): string[] {
  const problems: string[] = [];
  for (const [index, { committed }] of legs.entries()) {
    for (const [url, before] of committed.records) {
      const after = records.get(url);
      if (after === undefined) problems.push(`known to process ${index + 1} and lost: ${url}`);
      else if (isFinal(committed, url) && JSON.stringify(after.result) !== JSON.stringify(before.result))
        problems.push(`committed by process ${index + 1} and changed: ${url}`);
    }
  }
  return problems;
}

/** Each fetched page has its item once. */
function wrongItems({ folder, scenario }: World, truth: Truth, { records }: Committed): string[] {
  if (scenario.itemChars === undefined) return [];
  const text = readFileSync(foldersOf(folder).items, 'utf8');
  if (!text.endsWith('\n')) return ['items.jsonl ends within a line'];
  const urls = text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line).url as string);
  const expected = [...truth.urls.keys()].filter((url) => records.get(url)?.state === 'fetched');
  const problems = expected
    .filter((url) => urls.filter((one) => one === url).length !== 1)
    .map((url) => `${urls.filter((one) => one === url).length} items instead of one: ${url}`);
  if (problems.length === 0 && urls.length !== expected.length)
    problems.push('items of pages that were not fetched');
  return problems;
}

/** The totals are what the records add up to. */
async function wrongCounts({ folder, scenario }: World, { records }: Committed): Promise<string[]> {
  const summary = await summarize(folder);
  const all = [...records.values()];
  const countOf = (state: string) => all.filter((record) => record.state === state).length;
  const pages = all.filter(
    ({ state, kind, result }) => result?.httpStatus !== undefined && state !== 'redirect' && !kind,
  ).length;
  const expected: [name: string, reported: number | undefined, counted: number][] = [
    ['URLs', summary.urls, all.length],
    ['hosts', summary.hosts, new Set(all.map(({ url }) => new URL(url).host)).size],
    ['pages', summary.pages, pages],
    ['items', summary.hooks.items ?? 0, scenario.itemChars === undefined ? 0 : countOf('fetched')],
    ...Object.entries(summary.byStatus).map(([state, reported]): [string, number, number] => [
      state,
      reported,
      countOf(state),
    ]),
  ];
  return expected
    .filter(([, reported, counted]) => reported !== counted)
    .map(([name, reported, counted]) => `the summary says ${reported} ${name}, and there are ${counted}`);
}

const KNOWN_FILES =
  /^(?:archive|indexes|ledgers|tmp|ledgers\/[0-9a-f]{24}|crawl\.sqlite|items\.jsonl|log\.jsonl|lock|lock\.pid|archive\/strand-[-\d]+\.warc\.gz|indexes\/strand-[-\d]+\.cdxj)$/;

/** Nothing is left but what a crawl consists of. */
function garbage(folder: string): string[] {
  const database = openDatabase(join(folder, 'crawl.sqlite'), 'read');
  const problems: string[] = [];
  try {
    const rowsOf = (table: string) =>
      (database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
    for (const table of ['parcels', 'staged_items', 'warc_files'])
      if (rowsOf(table) > 0) problems.push(`${rowsOf(table)} rows are left in ${table}`);
    if (database.prepare("SELECT 1 FROM sessions WHERE name = 'owner'").get())
      problems.push('the folder has an owner');
    const integrity = database.prepare('PRAGMA integrity_check').all();
    if (integrity.length !== 1 || integrity[0]!.integrity_check !== 'ok')
      problems.push(`the database is damaged: ${JSON.stringify(integrity)}`);
    const parts = database.prepare('SELECT file FROM parts WHERE file IS NOT NULL').all();
    const named = new Set(parts.map(({ file }) => `ledgers/${file}`));
    const found = readContents(folder);
    for (const path of found.keys()) {
      if (/^crawl\.sqlite-(?:wal|shm)$/.test(path)) continue;
      if (!KNOWN_FILES.test(path) && !named.has(path))
        problems.push(`a file is left that nothing names: ${path}`);
    }
    for (const path of named) if (!found.has(path)) problems.push(`a part of a ledger is not there: ${path}`);
  } finally {
    database.close();
  }
  return problems;
}
