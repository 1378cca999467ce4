/**
 * How many hosts and connections a process may have at once, as far as its limit of open files (`ulimit -n`)
 * allows.
 */
import { readFileSync } from 'node:fs';
import { type CrawlConfig, InvalidConfig } from '../../../core/crawl/config.ts';

export interface FilePlan {
  /** Hosts served at once, by all threads together. */
  readonly hosts: number;
  /** Sockets open at once, by all threads together. */
  readonly sockets: number;
}

/** More sockets bring no speed to one process. */
const MAX_SOCKETS = 900;
/**
 * Descriptors of Node itself (about 20), the database, the index, items, DNS look-ups, and files that are
 * read for a moment.
 */
const RESERVED = 44;
/** For each thread: its event loop, its connection to the database, its WARC file and that one's index, the file of large bodies. */
const RESERVED_PER_THREAD = 10;
/** For each thread of a crawl with a cache: the WARC files of the earlier crawl that it reads, and their index. */
const RESERVED_FOR_CACHE = 17;

/**
 * Each page in work may hold a socket: the sockets of all hosts served at once fit into the limit, and the rest keeps
 * connections open between requests. `limit`: of open files; undefined if there is none. Throws `InvalidConfig` where a
 * crawl cannot work at all.
 */
export function planFiles(
  limit: number | undefined,
  { hosts, perHost, overrides }: Pick<CrawlConfig, 'hosts' | 'perHost' | 'overrides'>,
  threads: number,
  hasCache = false,
): FilePlan {
  if (limit === undefined) return { hosts, sockets: MAX_SOCKETS };
  const most = Math.max(perHost, ...overrides.map((override) => override.perHost ?? 0));
  const reserved = RESERVED + (RESERVED_PER_THREAD + (hasCache ? RESERVED_FOR_CACHE : 0)) * threads;
  const least = reserved + most * threads;
  if (limit < least)
    throw new InvalidConfig(
      `Expected to be allowed ${least} open files at least (ulimit -n), got ${limit}: raise the limit, or lower --workers`,
    );
  const spare = limit - reserved;
  return { hosts: Math.min(hosts, Math.floor(spare / most)), sockets: Math.min(MAX_SOCKETS, spare) };
}

/**
 * The process's limit of open files; undefined where there is none. Node raises the soft limit to the hard
 * one at its start.
 */
export function maxOpenFiles(): number | undefined {
  const limit = process.platform === 'linux' ? fromProc() : fromReport();
  return Number.isInteger(limit) ? limit : undefined;
}

function fromProc(): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
}

function fromReport(): number {
  const report = process.report as NodeJS.Process['report'] & { excludeNetwork?: boolean };
  // Otherwise it resolves the names of all peers.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  return Number(userLimits?.open_files?.soft ?? Number.NaN);
}
