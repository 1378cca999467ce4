/**
 * A web with a spam farm in it: honest domains whose sizes and popularity are as skewed as on the web, and some domains
 * that invent hosts and pages without end, all linking to one another. Of the honest pages some are hijacked, and link to
 * the farm. Everything follows from the URLs; nothing is stored.
 */
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import { memoryBody } from '../../../shared/core/outcome/memory-body.ts';
import type { Clock } from '../../../shared/crawler/ports/clock.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';

export interface FarmWebOptions {
  readonly honestDomains: number;
  /** 0: the same web without the farm. */
  readonly farmDomains: number;
}

export interface FarmWeb {
  /** Roots of some popular honest domains. */
  readonly seeds: readonly string[];
  fetcherOn(clock: Clock): Fetcher;
  /** Requests for pages so far, and those of the second half of the time. */
  readonly pages: { readonly honest: number[]; readonly farm: number[] };
}

/** Subdomains of a farm's domain. */
const FARM_HOSTS = 1e6;
const FARM_LINKS = 12;
/** Pages of an honest domain: a Pareto distribution from 20 on. */
const LEAST_PAGES = 20;
const MOST_PAGES = 200_000;
const PARETO = 0.9;
/** The share of honest pages that are hijacked. */
const HIJACKED = 0.002;
const OWN_LINKS = 4;
const FOREIGN_LINKS = 2;
/** The share of links to other domains that lead to one of their five subdomains. */
const TO_SUBDOMAIN = 0.1;
const SEEDS = 100;
const TOOK_MS = 50;

const HONEST = /^http:\/\/(?:s(\d)\.)?d(\d+)\.test\/(\d*)$/;
const FARM = /^http:\/\/a(\d+)\.farm(\d+)\.test\/(\d*)$/;

/** A number from 0 to 1 that follows from the three. */
const chance = (a: number, b: number, c: number): number =>
  mixHash(mixHash(mixHash(a + 0x9e3779b9) ^ b) ^ Math.imul(c, 0x85ebca6b)) / 2 ** 32;

export function createFarmWeb({ honestDomains, farmDomains }: FarmWebOptions): FarmWeb {
  /** Low numbers are popular. */
  const popular = (at: number): number => Math.floor(honestDomains * at ** 3);
  const sizeOf = (domain: number): number =>
    Math.min(MOST_PAGES, Math.round(LEAST_PAGES * (1 - chance(domain, 0, 1)) ** (-1 / PARETO)));
  const farmUrl = (at: number, other: number): string =>
    `http://a${Math.floor(at * FARM_HOSTS)}.farm${Math.floor(other * farmDomains)}.test/`;

  function honestLinks(domain: number, subdomain: number, page: number): string[] {
    const size = subdomain > 0 ? 5 : sizeOf(domain);
    const of = (kind: number) => chance(domain * 8 + subdomain, page, kind);
    const links = Array.from({ length: OWN_LINKS }, (_, i) => page * OWN_LINKS + i + 1).flatMap((other) =>
      other < size ? [`/${other}`] : [],
    );
    for (let i = 0; i < FOREIGN_LINKS; i++) {
      const host = `d${popular(of(10 + i))}.test/`;
      links.push(
        of(20 + i) < TO_SUBDOMAIN ? `http://s${1 + Math.floor(of(30 + i) * 5)}.${host}` : `http://${host}`,
      );
    }
    if (farmDomains > 0 && of(40) < HIJACKED) links.push(farmUrl(of(41), of(42)));
    return links;
  }

  function farmLinks(host: number, domain: number, page: number): string[] {
    const of = (kind: number) => chance(host, domain * 1e6 + page, kind);
    const own = Array.from({ length: OWN_LINKS }, (_, i) => `/${page * OWN_LINKS + i + 1}`);
    return [...own, ...Array.from({ length: FARM_LINKS }, (_, i) => farmUrl(of(50 + i), of(70 + i)))];
  }

  /** Undefined: there is no such page. */
  function linksOf(url: string): { readonly links: string[]; readonly isFarm: boolean } | undefined {
    const farm = FARM.exec(url);
    if (farm) return { links: farmLinks(Number(farm[1]), Number(farm[2]), Number(farm[3])), isFarm: true };
    const honest = HONEST.exec(url);
    if (!honest || Number(honest[2]) >= honestDomains) return undefined;
    return {
      links: honestLinks(Number(honest[2]), Number(honest[1] ?? 0), Number(honest[3])),
      isFarm: false,
    };
  }

  const pages = { honest: [] as number[], farm: [] as number[] };
  return {
    seeds: Array.from({ length: SEEDS }, (_, i) => `http://d${popular(chance(i, 1, 2))}.test/`),
    pages,
    fetcherOn: (clock) => ({
      async fetch({ url, onHead, signal }) {
        const startedAt = clock.now();
        await clock.sleep(TOOK_MS, signal);
        const times = { url, startedAt, endedAt: clock.now() };
        if (signal?.aborted) return { status: 'failed', reason: 'aborted', message: 'aborted', ...times };
        const found = linksOf(url);
        if (found) pages[found.isFarm ? 'farm' : 'honest'].push(startedAt);
        const html = (found?.links ?? []).map((link) => `<a href="${link}">${link.length}</a>`).join('');
        const bytes = Buffer.from(`<title>${url}</title>${html}`);
        const head = {
          httpStatus: found ? 200 : 404,
          statusText: '',
          headers: [['Content-Type', 'text/html']] as const,
        };
        onHead?.(head)?.(bytes);
        return {
          status: 'response',
          ...times,
          ...head,
          body: memoryBody(bytes),
          requestHead: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
          ipAddress: '127.0.0.1',
        };
      },
      close: async () => {},
    }),
  };
}
