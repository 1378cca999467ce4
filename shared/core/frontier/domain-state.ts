/**
 * The state of a registrable domain in a crawl: which of its hosts are opened, and how many pages they were granted in
 * each period. Kept in a head of its own (`Head.domain`), under a key that no host can have. Pure.
 */
import { fingerprint } from '../url/fingerprint.ts';
import type { HostKey } from '../url/host-key.ts';
import type { AddressLease } from './address-lease.ts';
import type { CrawlRateState } from './crawl-rate.ts';
import { type LinkerSketch, mergeSketches, NO_LINKERS } from './linker-sketch.ts';

export interface DomainState {
  /** The opened hosts: 24 bits of each one's fingerprint, in base64, so four characters each. */
  readonly hosts: string;
  /** Pages granted, by the number of the period. */
  readonly granted: Readonly<Record<string, number>>;
  /** The registrable domains that link to it, in a crawl whose budgets grow by them. */
  readonly linkers?: LinkerSketch;
  /** Only in the head of an IP address, in a crawl with `ipDelayMs`. */
  readonly lease?: AddressLease;
  /** Only in the head of the byte rate, in a crawl with `maxBytesPerSecond`. */
  readonly rate?: CrawlRateState;
  /** Differs in all writes: an engine that compares what it finds with what it wrote must not mistake another's for its own. */
  readonly writer: string;
}

export const NO_DOMAIN_STATE: Omit<DomainState, 'writer'> = { hosts: '', granted: {} };

/** The key of a domain's head, beside those of the hosts. In no host is an `@` (URL Standard, "forbidden host code point"). */
export const domainKey = (domain: string): HostKey => `@${domain}`;

/** Whether a head with this key is a domain's. */
export const isDomainKey = (key: HostKey): boolean => key.startsWith('@');

/** Whether a head that stands where those of domains do is one. */
export const isDomain = ({ lease, rate }: Pick<DomainState, 'lease' | 'rate'>): boolean =>
  lease === undefined && rate === undefined;

/** Periods whose grants are kept: those of processes whose clocks differ do not push each other out. */
const MAX_PERIODS = 4;
/** A grant is this part of the budget at most: what a host that dies has left is lost to its domain. */
const GRANT_PARTS = 20;
const MAX_GRANT = 400;
const CHARS = 4;

/** How many hosts are opened. */
export const openedHosts = ({ hosts }: Pick<DomainState, 'hosts'>): number => hosts.length / CHARS;

/**
 * Returns whether a host is opened. A host that is not opened is mistaken for an opened one with a probability of 6e-8
 * for each opened host.
 */
export function openedCheck({ hosts }: Pick<DomainState, 'hosts'>): (host: HostKey) => boolean {
  const codes = new Set<string>();
  for (let i = 0; i < hosts.length; i += CHARS) codes.add(hosts.slice(i, i + CHARS));
  return (host) => codes.has(codeOf(host));
}

/** Opens a host. Opening one again changes nothing. */
export const withHost = <T extends Pick<DomainState, 'hosts'>>(state: T, host: HostKey): T =>
  openedCheck(state)(host) ? state : { ...state, hosts: state.hosts + codeOf(host) };

function codeOf(host: HostKey): string {
  const out = new Uint32Array(2);
  fingerprint(host, out, 0);
  const [high] = out as unknown as [number];
  return Buffer.from([high >>> 24, (high >>> 16) & 0xff, (high >>> 8) & 0xff]).toString('base64');
}

/**
 * The number of the period at a time. Periods of different domains begin at different times, so that not all hosts are
 * due at once.
 */
export const periodAt = (domain: string, now: number, everyMs: number): number =>
  Math.floor((now - beginOf(domain, everyMs)) / everyMs);

/** When that period ends, in ms since the epoch. */
export const periodEnd = (domain: string, period: number, everyMs: number): number =>
  (period + 1) * everyMs + beginOf(domain, everyMs);

function beginOf(domain: string, everyMs: number): number {
  const out = new Uint32Array(2);
  fingerprint(domain, out, 0);
  return Math.floor(((out[0] as number) / 2 ** 32) * everyMs);
}

/** Adds domains that link to it. Adding them again changes nothing. */
export function withLinkers<T extends Pick<DomainState, 'linkers'>>(state: T, linkers: LinkerSketch): T {
  const all = mergeSketches(state.linkers ?? NO_LINKERS, linkers);
  return all === (state.linkers ?? NO_LINKERS) ? state : { ...state, linkers: all };
}

export interface GrantRequest {
  readonly period: number;
  /** Pages of the domain in a period. */
  readonly budget: number;
  /** Pages that the host could use. */
  readonly wanted: number;
}

/** Grants pages of a period: as many as are wanted, a part of the budget at most, and none beyond it. */
export function grantPages<T extends Pick<DomainState, 'granted'>>(
  state: T,
  { period, budget, wanted }: GrantRequest,
): { readonly state: T; readonly pages: number } {
  const used = state.granted[period] ?? 0;
  const most = Math.min(MAX_GRANT, Math.ceil(budget / GRANT_PARTS));
  const pages = Math.max(0, Math.min(wanted, most, budget - used));
  if (pages === 0) return { state, pages };
  return {
    state: { ...state, granted: nearest({ ...state.granted, [period]: used + pages }, period) },
    pages,
  };
}

/** Takes back pages that a host was granted and has not used. */
export function takeBackPages<T extends Pick<DomainState, 'granted'>>(
  state: T,
  { period, pages }: { readonly period: number; readonly pages: number },
): T {
  const used = state.granted[period] ?? 0;
  return { ...state, granted: { ...state.granted, [period]: Math.max(0, used - pages) } };
}

function nearest(granted: Readonly<Record<string, number>>, period: number): Record<string, number> {
  const distance = (key: string) => Math.abs(Number(key) - period);
  const kept = Object.entries(granted).sort(([a], [b]) => distance(a) - distance(b));
  return Object.fromEntries(kept.slice(0, MAX_PERIODS));
}
