/** The sites of a crawl with how the last pass over each went. */
import { type Site, type Sites, siteHost } from '../../core/crawl/sites.ts';
import { outcomeOf, type SiteOutcome, type SitePass } from '../../core/frontier/site-pass.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { HostPass } from '../../crawler/ports/ledger-store.ts';

/** `running`: a pass goes on. `waiting`: nothing was fetched yet. */
export type SiteState = SiteOutcome | 'running' | 'waiting';

export const SITE_STATES = [
  'done',
  'fewer',
  'gone',
  'blocked',
  'failed',
  'moved',
  'running',
  'waiting',
] as const satisfies readonly SiteState[];

/** Times: ISO 8601, UTC. Counts are of the last pass over all hosts of the site. */
export interface SiteEntry {
  /** The URL of the site, as the list has it. */
  readonly site: string;
  readonly host: HostKey;
  readonly group?: string;
  readonly state: SiteState;
  readonly pages: number;
  /** The pages of the pass before, if it had any. */
  readonly pagesBefore?: number;
  readonly gone?: number;
  readonly blocked?: number;
  readonly failed?: number;
  readonly movedTo?: HostKey;
  /** Why the first page that was not there was not. */
  readonly cause?: string;
  /** When the last page was there. */
  readonly visitedAt?: string;
  /** When the last pass was over. */
  readonly endedAt?: string;
}

const DAY_MS = 86_400_000;

export interface SiteEntries {
  /** In the order of the list, without those that were removed from it. */
  readonly entries: readonly SiteEntry[];
  /** `count`: sites; `visited`: those with a page in the last 24 hours; and by state. What is 0 is left out, but these two. */
  readonly counts: Readonly<Record<string, number>>;
}

export async function siteEntries(
  sites: Sites,
  passes: AsyncIterable<HostPass>,
  now: number,
): Promise<SiteEntries> {
  const bySite = new Map<Site, HostPass[]>();
  for await (const one of passes) {
    const site = sites.of(one.host);
    if (!site) continue;
    const known = bySite.get(site);
    if (known) known.push(one);
    else bySite.set(site, [one]);
  }
  const counts: Record<string, number> = { count: 0, visited: 0 };
  const add = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const entries: SiteEntry[] = [];
  for (const site of sites.all) {
    if (site.isRemoved) continue;
    const all = bySite.get(site) ?? [];
    const entry = entryOf(sites, site, all);
    entries.push(entry);
    add('count');
    add(entry.state);
    const isVisited = all.some(({ pass }) => (pass.seenAt ?? 0) > now - DAY_MS);
    if (isVisited) add('visited');
  }
  return { entries, counts };
}

function entryOf(sites: Sites, site: Site, all: readonly HostPass[]): SiteEntry {
  const passes = all.map(({ pass }) => pass);
  const sum = (key: 'gone' | 'blocked' | 'failed' | 'before') =>
    sumOf(passes.flatMap(({ [key]: count }) => count ?? []));
  const pages = sumOf(passes.map((pass) => pass.pages)) ?? 0;
  const [gone, blocked, failed, before] = [sum('gone'), sum('blocked'), sum('failed'), sum('before')];
  // A host that redirects within the site says nothing by itself.
  const own = passes.filter(
    ({ said, to }) => !(said === 'moved' && to !== undefined && sites.of(to) === site),
  );
  const state = stateOf(own, { pages, gone, blocked, failed, before });
  const cause = own.find((pass) => pass.cause !== undefined)?.cause;
  const movedTo = own.find(({ said }) => said === 'moved')?.to;
  const seenAt = latest(passes.map((pass) => pass.seenAt));
  const saidAt = latest(own.map((pass) => pass.saidAt));
  return {
    site: site.url,
    host: siteHost(site),
    ...(site.group !== undefined && { group: site.group }),
    state,
    pages,
    ...(before !== undefined && { pagesBefore: before }),
    ...(gone !== undefined && { gone }),
    ...(blocked !== undefined && { blocked }),
    ...(failed !== undefined && { failed }),
    ...(state === 'moved' && movedTo !== undefined && { movedTo }),
    ...(cause !== undefined && state !== 'done' && { cause }),
    ...(seenAt !== undefined && { visitedAt: new Date(seenAt).toISOString() }),
    ...(saidAt !== undefined && { endedAt: new Date(saidAt).toISOString() }),
  };
}

type Counts = Pick<SitePass, 'pages'> & {
  readonly [K in 'gone' | 'blocked' | 'failed' | 'before']: number | undefined;
};

function stateOf(own: readonly SitePass[], counts: Counts): SiteState {
  if (own.length === 0) return 'waiting';
  if (own.some(({ said }) => said === undefined)) return 'running';
  if (own.length === 1) return own[0]?.said as SiteOutcome;
  const isPartial = own.some((pass) => pass.isPartial);
  const { pages, gone, blocked, failed, before } = counts;
  const summed = {
    pages,
    ...(gone !== undefined && { gone }),
    ...(blocked !== undefined && { blocked }),
    ...(failed !== undefined && { failed }),
    ...(before !== undefined && { before }),
    ...(isPartial && { isPartial: true as const }),
  };
  return outcomeOf(summed) ?? (own[0]?.said as SiteOutcome);
}

const sumOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((a, b) => a + b);

function latest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => Math.max(a, b));
}

/** Which sites are wanted. */
export interface SiteFilter {
  readonly group?: string | undefined;
  readonly state?: SiteState | undefined;
}

export const isWanted = (entry: SiteEntry, { group, state }: SiteFilter): boolean =>
  (group === undefined || entry.group === group) && (state === undefined || entry.state === state);
