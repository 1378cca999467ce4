/** The hosts: what each is follows from its number. */
import { cached } from './cache.ts';
import { type Chance, DRAW } from './chance.ts';
import { HOST_KIND_NAMES, HOST_KINDS, type HostKind, kindAt, type WebShape } from './shape.ts';

export interface WebHost {
  readonly number: number;
  /** Host name, with the port if it is not the scheme's. */
  readonly key: string;
  readonly kind: HostKind;
  /** The scheme of its pages. `either`: some pages have one, some the other; the wrong one redirects. */
  readonly scheme: 'http' | 'https' | 'either';
  /** Numbers below this are pages. */
  readonly pages: number;
  readonly medianMs: number;
}

export interface Hosts {
  /** All of them, popular and huge ones too. */
  readonly count: number;
  of(number: number): WebHost;
  byKey(key: string): WebHost | undefined;
  /** One to which links go, by chance in [0, 1): few get most (Zipf, exponent 1). */
  linked(chance: number): WebHost;
  /** The host to which every page links. */
  readonly popular: WebHost | undefined;
}

export const DOMAIN = 'sim.test';
const HOST_NAME = /^h(\d+)\.sim(?:-\d+)?\.test(?::\d+)?$/;
const SLOW_MS = 4000;
const CACHED = 4096;

export function createHosts(shape: WebShape, chance: Chance): Hosts {
  const popularNumber = shape.popularHost ? shape.hosts : -1;
  const hugeNumber = shape.hugeHost ? shape.hosts + (shape.popularHost ? 1 : 0) : -1;
  const kinds = shape.kinds ?? HOST_KIND_NAMES;

  function make(number: number): WebHost {
    const isOurs = number < shape.hosts;
    const kind = isPoisonous(number)
      ? 'poisonous'
      : shape.plain || !isOurs
        ? 'ordinary'
        : kindAt(chance.at(DRAW.kind, number), kinds);
    const { scheme, port } = shape.plain ? PLAIN_SCHEME : schemeAt(chance.at(DRAW.scheme, number));
    return {
      number,
      key: `h${number}.${domainOfHost(number)}${port}`,
      kind,
      scheme,
      pages: kind === 'relocated' ? 1 : pagesOf(number),
      medianMs: medianOf(number, kind),
    };
  }

  function domainOfHost(number: number): string {
    const domain = number % (shape.domains ?? 1);
    return domain === 0 ? DOMAIN : `sim-${domain}.test`;
  }

  const isPoisonous = (number: number) => shape.poison !== undefined && number === 0;

  function pagesOf(number: number): number {
    if (shape.poison && isPoisonous(number)) return shape.poison.pages;
    if (number === hugeNumber) return shape.hugeHost?.pages ?? 1;
    if (number === popularNumber) return shape.maxPages;
    return Math.max(shape.minPages ?? 1, Math.floor((shape.maxPages + 1) ** chance.at(DRAW.pages, number)));
  }

  function medianOf(number: number, kind: HostKind): number {
    if (number === hugeNumber) return shape.hugeHost?.responseMs ?? 1;
    const { responseMs } = shape;
    const at = chance.at(DRAW.pace, number);
    const median = responseMs[Math.floor(at * responseMs.length)] ?? 50;
    return kind === 'slow' ? median + SLOW_MS : median;
  }

  const of = cached(CACHED, make);
  const count = shape.hosts + (shape.popularHost ? 1 : 0) + (shape.hugeHost ? 1 : 0);
  return {
    count,
    of,
    byKey(key) {
      const number = Number(HOST_NAME.exec(key)?.[1] ?? count);
      const host = number < count ? of(number) : undefined;
      return host?.key === key ? host : undefined;
    },
    linked: (at) => of(Math.floor((shape.hosts + 1) ** at) - 1),
    popular: popularNumber < 0 ? undefined : of(popularNumber),
  };
}

/** Whether the host's root is served in the end, so that what it links to is found. */
export const isSteady = (host: WebHost): boolean => HOST_KINDS[host.kind].isSteady;

const PLAIN_SCHEME = { scheme: 'http', port: '' } as const;

function schemeAt(at: number): { readonly scheme: WebHost['scheme']; readonly port: string } {
  if (at < 0.65) return PLAIN_SCHEME;
  if (at < 0.8) return { scheme: 'https', port: '' };
  if (at < 0.9) return { scheme: 'either', port: '' };
  if (at < 0.96) return { scheme: 'http', port: ':8080' };
  return { scheme: 'https', port: ':8443' };
}
