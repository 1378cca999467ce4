import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { hasUserinfo } from '../../shared/core/crawl/seed-credentials.ts';
import type { SiteOptions } from '../../shared/core/crawl/sites.ts';
import { canonicalPage } from '../../shared/core/url/hash-route.ts';
import type { Seeds } from '../given.ts';
import { seedLines } from '../seeds.ts';
import { textOfBytes } from '../text-of-bytes.ts';
import { UsageError } from '../usage-error.ts';
import { readSites } from './read-sites.ts';

/**
 * The seeds of the command line and of its file, canonical, each once. Throws {@link UsageError} where there
 * is none, unless sites are given.
 */
export function readSeeds({ seeds, seedsFile, sitesFile }: Seeds): string[] {
  const more = seedsFile === undefined ? [] : seedLines(readText(seedsFile), seedsFile);
  seeds.forEach(refuseFile);
  // User and password stay: the crawl's settings take them out of the URL.
  const canonical = [...seeds, ...more].map((seed) =>
    hasUserinfo(seed) ? seed : (canonicalPage(seed) ?? seed),
  );
  if (canonical.length === 0 && sitesFile === undefined) throw new UsageError(`${seedsFile} holds no seed`);
  return [...new Set(canonical)];
}

/** Throws {@link UsageError} for `crawl seeds.txt`, which would be taken for a host. No such ending is one of hosts. */
function refuseFile(seed: string): void {
  const { hostname, pathname } = new URL(seed);
  if (pathname !== '/' || !/\.(?:txt|csv|tsv|lst|list|jsonl?|xml)$/.test(hostname)) return;
  if (!statSync(hostname, { throwIfNoEntry: false })?.isFile()) return;
  throw new UsageError(`${hostname} is a file here, not a host: its seeds are read by --seeds ${hostname}`);
}

/** The seeds and sites that a crawl begins with. `all`: the seeds and the URLs of the sites. */
export function readStart(given: Seeds): {
  readonly seeds: readonly string[];
  readonly sites: readonly SiteOptions[] | undefined;
  readonly all: readonly string[];
} {
  const sites = readSites(given.sitesFile);
  const seeds = readSeeds(given);
  return { seeds, sites, all: [...seeds, ...(sites?.map(({ url }) => url) ?? [])] };
}

function readText(file: string): string {
  try {
    return textOfBytes(readFileSync(file === '-' ? 0 : file));
  } catch (cause) {
    const message = messageOf(cause);
    throw new UsageError(`The seeds cannot be read: ${message}`, { cause });
  }
}
