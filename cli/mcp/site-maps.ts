/** Maps of sites that were asked for lately: a long one is answered in pieces, and the site is asked once. */
import type { MappedUrl } from '../../api/map-options.ts';
import { mapSite } from '../../api/map-site.ts';
import type { LivePages } from './live-pages.ts';

export interface KnownMap {
  readonly urls: readonly MappedUrl[];
  /** The site has more URLs. */
  readonly isCut: boolean;
}

/** Further URLs of a site are not listed. */
const MAX_URLS = 20_000;
const MAX_MAPS = 5;
const KEPT_MS = 5 * 60_000;

export class SiteMaps {
  readonly #live: LivePages;
  readonly #maps = new Map<string, { readonly at: number; readonly map: KnownMap }>();

  constructor(live: LivePages) {
    this.#live = live;
  }

  /** Throws `PageNotRead` if the site gives nothing. */
  async read(url: string, search: string | undefined, signal: AbortSignal): Promise<KnownMap> {
    const key = JSON.stringify([url, search]);
    const known = this.#maps.get(key);
    const now = performance.now();
    if (known && now - known.at < KEPT_MS) return known.map;
    const urls: MappedUrl[] = [];
    const { config, middleware } = this.#live;
    const asked = { ...config, middleware, limit: MAX_URLS, signal, ...(search !== undefined && { search }) };
    for await (const one of mapSite(url, asked)) urls.push(one);
    const map = { urls, isCut: urls.length >= MAX_URLS };
    this.#maps.delete(key);
    this.#maps.set(key, { at: now, map });
    for (const [first] of this.#maps) if (this.#maps.size > MAX_MAPS) this.#maps.delete(first);
    return map;
  }
}
