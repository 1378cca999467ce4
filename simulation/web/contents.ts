/** The content of the places of the web. */

import { fetchedUrl } from '../../shared/core/url/request-url.ts';
import { ASSETS } from './asset-kinds.ts';
import { renderStyle } from './assets.ts';
import type { Atlas } from './atlas.ts';
import { DRAW } from './chance.ts';
import type { WebHost } from './hosts.ts';
import { filling, renderHtml } from './html.ts';
import { SIGN } from './member-plan.ts';
import type { PageType } from './pages.ts';
import type { Place } from './places.ts';
import {
  errorResponse,
  image,
  missing,
  NO_BYTES,
  part,
  type Responded,
  respond,
  TYPES,
  text,
} from './responses.ts';
import { renderSitemap } from './sitemaps.ts';

const LARGE_BYTES = 100_000;
const PAGE_BYTES = 600;
const ROUTE_BYTES = 1500;
const ASSET_TYPES = { css: 'text/css', png: 'image/png', woff2: 'font/woff2' } as const;

type Hosted = Place & { readonly host: WebHost };
type PlaceOf<W extends Place['what']> = Extract<Place, { readonly what: W }>;

/** A request for content. */
export interface AskedContent {
  readonly url: string;
  /** ms since 1970. */
  readonly at: number;
}

/** How a kind of place answers. `paceMs`: until the head. */
type Contents = {
  readonly [W in Place['what']]?: (place: PlaceOf<W>, asked: AskedContent, paceMs: number) => Responded;
};

type PageContents = Readonly<
  Partial<Record<PageType, (place: PlaceOf<'page'>, url: string, paceMs: number) => Responded>>
>;

export interface WebContents {
  of(place: Hosted, asked: AskedContent, paceMs: number): Responded;
  /** The page when its scripts have run. */
  drawn(url: string, place: Place): Uint8Array;
}

export function createContents(atlas: Atlas): WebContents {
  const { chance, shape, pages, assets, links, canonicals, places, scripts, members } = atlas;

  const contents: Contents = {
    sitemap({ host }, { at }, paceMs) {
      const body = renderSitemap(chance, host, at, (page) => places.pageUrl(host, page));
      return respond(200, [['Content-Type', 'application/xml']], body, paceMs);
    },
    day: (place, { url }, paceMs) => html(url, place, 0, paceMs),
    asset: (place, { url }, paceMs) => asset(url, place, paceMs),
    part: ({ name }, { url }, paceMs) => part(url, name, paceMs),
    change: (place, { url }, paceMs) => html(url, place, PAGE_BYTES, paceMs),
    alias: ({ of }, _, paceMs) => (of.kind === 'failing' ? errorResponse(500, paceMs) : missing(410, paceMs)),
    page(place, { url }, paceMs) {
      if (scripts.isScripted(place)) return shell(url, place, paceMs);
      const content = pageContents[pages.typeOf(place.host, place.page)];
      return content ? content(place, url, paceMs) : missing(404, paceMs);
    },
  };

  const streamOf = ({ host, page }: PlaceOf<'page'>) => chance.stream(DRAW.body, host.number, page);

  const pageContents: PageContents = {
    html: (place, url, paceMs) =>
      html(url, place, shape.bodyBytes ?? PAGE_BYTES * (0.5 + streamOf(place)()), paceMs),
    large: (place, url, paceMs) => html(url, place, LARGE_BYTES, paceMs),
    text(place, _, paceMs) {
      const random = streamOf(place);
      return respond(200, [['Content-Type', TYPES.text]], text(filling(2000 * random(), random)), paceMs);
    },
    image: (_, url, paceMs) => respond(200, [['Content-Type', TYPES.image]], image(url), paceMs),
    empty: (_, __, paceMs) => respond(200, [['Content-Type', TYPES.html]], NO_BYTES, paceMs),
    noContent: (_, __, paceMs) => respond(204, [], NO_BYTES, paceMs),
    gone: (_, __, paceMs) => missing(410, paceMs),
  };

  /** A text of random letters; every other page of a host has the one of another page. */
  function textOf(place: Place): string | undefined {
    if (!shape.hasCopies || place.what !== 'page') return undefined;
    const { number } = place.host;
    const isCopy = chance.at(DRAW.copies, number, place.page) < 0.5;
    const random = chance.stream(DRAW.copies, number, isCopy ? -1 : place.page);
    const letter = () => String.fromCharCode(97 + Math.floor(random() * 26));
    return Array.from({ length: 100 }, () => letter() + letter() + letter()).join(' ');
  }

  function asset(url: string, place: Place & { what: 'asset' }, paceMs: number): Responded {
    const type = ASSETS[place.asset] ?? 'png';
    const body = type === 'css' ? text(renderStyle(assets.of(place))) : image(url);
    return respond(200, [['Content-Type', ASSET_TYPES[type]]], body, paceMs);
  }

  /** A page before its scripts run. No two have the same words. */
  function shell(url: string, { host, page }: Place & { what: 'page' }, paceMs: number): Responded {
    const random = chance.stream(DRAW.scripts, host.number, -page - 1);
    const head = `<!doctype html><meta charset="utf-8"><title>${url.length} ${filling(20, random)}</title>`;
    const script = `<script src="${places.partUrl(host, page, 'app.js')}"></script>`;
    const body = text(`${head}<p>${filling(100, random)}</p><div id="root"></div>${script}\n`);
    return respond(200, [['Content-Type', TYPES.html]], body, paceMs);
  }

  function html(url: string, place: Place, bytes: number, paceMs: number): Responded {
    // All days are alike but for their links.
    const at =
      place.what === 'page'
        ? place.page
        : place.what === 'change'
          ? place.of.page
          : place.what === 'day'
            ? -1
            : 0;
    const random = chance.stream(DRAW.spelling, place.what === 'noHost' ? 0 : place.host.number, at);
    return respond(
      200,
      [['Content-Type', TYPES.html]],
      renderHtml(
        url,
        {
          links: links.of(place),
          requisites: assets.of(place),
          canonical: place.what === 'page' ? canonicals.of(place.host, place.page) : undefined,
          feed: place.what === 'page' ? places.lists.feedOf(place.host, place.page) : undefined,
          bytes,
          text: textOf(place),
          sign: place.what !== 'noHost' && members.has(place.host) ? SIGN : undefined,
        },
        random,
      ),
      paceMs,
    );
  }

  return {
    of(place, asked, paceMs) {
      const content = contents[place.what] as WebContents['of'] | undefined;
      return content ? content(place, asked, paceMs) : missing(404, paceMs);
    },
    drawn(url, place) {
      const routes = scripts.routesOf(place);
      const page = html(fetchedUrl(url), place, bytesOf(place), 0).body;
      if (routes.length === 0) return page;
      const links = routes.map((route) => `<a href="${route.slice(route.indexOf('#'))}">a route</a>\n`);
      const isCopy = routes.indexOf(url) <= 0;
      const words = isCopy
        ? ''
        : `<p>${url} ${filling(ROUTE_BYTES, chance.stream(DRAW.body, url.length))}</p>\n`;
      return Buffer.concat([page, text(words + links.join(''))]);
    },
  };

  /** About the size of an HTML page. */
  function bytesOf(place: Place): number {
    if (place.what !== 'page') return 0;
    if (pages.typeOf(place.host, place.page) === 'large') return LARGE_BYTES;
    return PAGE_BYTES * (0.5 + chance.stream(DRAW.body, place.host.number, place.page)());
  }
}
