/**
 * A web made from a seed: hosts, pages, links and all that goes wrong on the web, known to the last URL. Only
 * the hosts' sizes are made at once; what stands at a URL is worked out when it is requested, and always the
 * same.
 */
import { hostOf } from './canonical.ts';
import type { Corner } from './corners/corner.ts';
import { cornersOf } from './corners/corners.ts';
import { TRAPS } from './corners/traps.ts';
import { type Features, FULL } from './features.ts';
import { pageIndex, pageReferences } from './pages.ts';
import { hash, skewed, stream } from './random.ts';
import { page, type Reference, type Resource } from './resource.ts';
import { type RobotsPlan, robotsOrigin, robotsPlan, robotsResource } from './robots.ts';

export interface WebOptions {
  readonly seed: number;
  readonly hosts: number;
  /** Mean over the hosts; sizes are skewed. */
  readonly pagesPerHost: number;
  /** The port that the URLs name. Default 80: none. `startWeb` puts its own. */
  readonly port?: number;
  /** The differences from {@link FULL}. */
  readonly features?: Partial<Features>;
}

export interface Web {
  readonly port: number;
  /** Names with the port, as in URLs. */
  readonly hosts: readonly string[];
  /** The root page of every host. */
  readonly seeds: readonly string[];
  /** Plain pages of all hosts together. */
  readonly pageCount: number;
  /** Returns the resource at a canonical URL; undefined if there is none: 404. */
  at(url: string): Resource | undefined;
  /** Undefined for a host that is none of the web's. */
  robots(host: string): RobotsPlan | undefined;
  /** Whether the URL lies in a space without an end. */
  isTrap(url: string): boolean;
  /** How long the host takes before it answers, beside what the server adds. */
  latencyMs(host: string): number;
  /** The same web on another port. */
  atPort(port: number): Web;
}

interface Host {
  readonly index: number;
  readonly origin: string;
  readonly pages: number;
  readonly robots: RobotsPlan;
  readonly latencyMs: number;
  /** Made at the host's first request below /x/. */
  corners?: ReadonlyMap<string, Corner>;
}

export function generateWeb(options: WebOptions): Web {
  const { seed, pagesPerHost, port = 80 } = options;
  if (!(options.hosts >= 1)) throw new RangeError(`Expected \`hosts\` >= 1, got ${options.hosts}`);
  if (!(pagesPerHost >= 1)) throw new RangeError(`Expected \`pagesPerHost\` >= 1, got ${pagesPerHost}`);
  const features: Features = { ...FULL, ...options.features };
  const suffix = port === 80 ? '' : `:${port}`;
  const hosts = Array.from({ length: options.hosts }, (_, index): Host => {
    const random = stream(seed, 'host', index);
    return {
      index,
      origin: `http://${hostName(index)}${suffix}`,
      pages: Math.max(1, Math.round(Math.min(40, skewed(random)) * pagesPerHost)),
      robots: features.robots ? robotsPlan(index, features.crawlDelay) : { kind: 'missing', groups: [] },
      latencyMs: features.slow && index % 3 === 2 ? 15 + Math.floor(random() * 25) : 0,
    };
  });
  const byHost = new Map(hosts.map((host) => [hostOf(host.origin), host]));
  const robotsHosts = new Map(
    hosts
      .filter((host) => host.robots.kind === 'movedAway')
      .map((host) => [hostOf(robotsOrigin(host.origin)), host]),
  );

  function at(url: string): Resource | undefined {
    const key = hostOf(url);
    const owner = byHost.get(key) ?? robotsHosts.get(key);
    if (owner === undefined) return undefined;
    const robots = robotsResource(owner.robots, owner.origin, url);
    if (robots !== undefined || robotsHosts.has(key)) return robots;
    const path = url.slice(owner.origin.length);
    if (path.startsWith('/decoy/')) return features.decoys || features.types ? page(url) : undefined;
    if (path.startsWith('/x/')) return inCorner(owner, path);
    const index = pageIndex(seed, owner.index, path);
    if (index !== undefined && index < owner.pages) return plainPage(owner, index);
    return path.startsWith('/private/') ? inCorner(owner, path) : undefined;
  }

  function plainPage(host: Host, index: number): Resource {
    const references = pageReferences(seed, hosts, host.index, index);
    if (features.decoys && index % 10 === 3) references.push(decoy(host, index));
    if (index === 0) for (const corner of corners(host).values()) references.push(...corner.entries);
    return page(`${host.origin}/p${index}`, references);
  }

  function corners(host: Host): ReadonlyMap<string, Corner> {
    const next = hosts[(host.index + 1) % hosts.length]!;
    const site = { origin: host.origin, index: host.index, elsewhere: `${next.origin}/` };
    host.corners ??= cornersOf(site, features, hosts.length);
    return host.corners;
  }

  function inCorner(host: Host, path: string): Resource | undefined {
    for (const corner of corners(host).values()) {
      const made = corner.resources[path]?.() ?? corner.further?.(path);
      if (made !== undefined) return made;
    }
    return undefined;
  }

  return {
    port,
    hosts: [...byHost.keys()],
    seeds: hosts.map((host) => `${host.origin}/`),
    pageCount: hosts.reduce((sum, host) => sum + host.pages, 0),
    at,
    robots: (host) => (byHost.get(host) ?? robotsHosts.get(host))?.robots,
    isTrap: (url) => features.traps && byHost.has(hostOf(url)) && new URL(url).pathname.startsWith(TRAPS),
    latencyMs: (host) => byHost.get(host)?.latencyMs ?? 0,
    atPort: (other) => generateWeb({ ...options, port: other }),
  };
}

/** `h0.test`, `h1.test`, ...; every fourth is one of the hosts of `shop.test`. */
function hostName(index: number): string {
  if (index % 4 !== 3) return `h${index}.test`;
  let name = '';
  for (let rest = (index - 3) / 4 + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(97 + ((rest - 1) % 26)) + name;
  return `${name}.shop.test`;
}

/** A URL that a page mentions where it is no link. */
function decoy(host: Host, index: number): Reference {
  const how = (['comment', 'script', 'textarea'] as const)[hash(host.origin, index) % 3]!;
  const path = `/decoy/${how}/p${index}`;
  return { how, written: path, target: host.origin + path };
}
