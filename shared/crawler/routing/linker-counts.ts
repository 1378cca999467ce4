import type { CrawlConfig } from '../../core/crawl/config.ts';
import { linkBudget } from '../../core/crawl/domain-limits.ts';
import {
  type LinkerSketch,
  linkerHash,
  mergeSketches,
  NO_LINKERS,
  sketchOf,
} from '../../core/frontier/linker-sketch.ts';
import { type Link, linkOf } from '../../core/frontier/message.ts';
import { type HostKey, hostKey } from '../../core/url/host-key.ts';
import { domainOf } from '../../core/url/registrable-domain.ts';
import { isOwnRequest } from '../../core/url/request-url.ts';

/** Hashes that are gathered before they are made a sketch. */
const MAX_GATHERED = 64;

/**
 * Finds which registrable domains link to each host, while links are gathered: links to one URL are merged, and only
 * one of their pages is remembered. Redirects, requisites, sitemaps and a project's own requests do not count, nor do
 * links within a domain.
 */
export interface LinkerCounts {
  /** Notes a link that belongs to the crawl. */
  add(host: HostKey, link: Link): void;
  /** Gives the first of a host's links all domains that link to it. */
  addTo(host: HostKey, links: Map<string, Link>): void;
}

/** Undefined in a crawl that does not count linking domains. */
export const createLinkerCounts = ({
  domainBudget,
}: Pick<CrawlConfig, 'domainBudget'>): LinkerCounts | undefined =>
  linkBudget(domainBudget) === undefined ? undefined : new Counts();

interface Gathered {
  sketch: LinkerSketch;
  readonly hashes: Set<number>;
}

class Counts implements LinkerCounts {
  readonly #byHost = new Map<HostKey, Gathered>();
  /** Most links of a parcel are of one page's host. */
  #from = { host: '', domain: '', hash: 0 };

  add(host: HostKey, { url, via, redirects, kind, isSeed, linkers }: Link): void {
    if (linkers !== undefined) {
      const known = this.#of(host);
      known.sketch = mergeSketches(known.sketch, linkers);
    }
    if (via === undefined || redirects || kind !== undefined || isSeed || isOwnRequest(url)) return;
    const from = this.#linker(hostKey(via));
    if (from.host === host || from.domain === domainOf(host)) return;
    const known = this.#of(host);
    known.hashes.add(from.hash);
    if (known.hashes.size < MAX_GATHERED) return;
    known.sketch = sketchWith(known);
    known.hashes.clear();
  }

  addTo(host: HostKey, links: Map<string, Link>): void {
    const known = this.#byHost.get(host);
    if (!known) return;
    let linkers: LinkerSketch | undefined = sketchWith(known);
    for (const [url, link] of links) {
      if (link.linkers !== linkers) links.set(url, linkOf({ ...link, linkers }));
      linkers = undefined;
    }
  }

  #of(host: HostKey): Gathered {
    let known = this.#byHost.get(host);
    if (!known) {
      known = { sketch: NO_LINKERS, hashes: new Set() };
      this.#byHost.set(host, known);
    }
    return known;
  }

  #linker(host: HostKey): { readonly host: HostKey; readonly domain: string; readonly hash: number } {
    if (this.#from.host !== host) {
      const domain = domainOf(host);
      this.#from = { host, domain, hash: linkerHash(domain) };
    }
    return this.#from;
  }
}

const sketchWith = ({ sketch, hashes }: Gathered): LinkerSketch => mergeSketches(sketch, sketchOf(hashes));
