/** Requisites of pages and styles: images, styles and fonts, on the same host and on others. */
import { ASSETS } from './asset-kinds.ts';
import { type Chance, DRAW } from './chance.ts';
import type { Hosts, WebHost } from './hosts.ts';
import type { Pages } from './pages.ts';
import type { Place, Places } from './places.ts';
import type { WebShape } from './shape.ts';

const FONT = ASSETS.length - 1;
/** The share of a page's requisites that are on its own host. */
const OWN_SHARE = 0.7;
/** The share of pages with requisites that also link to an asset as to a page. */
const LINKED_SHARE = 0.1;

export interface Assets {
  /** Canonical, each once. None for what has no requisites. */
  of(place: Place): readonly string[];
  /** An asset that the page links to as to a page. */
  linkedBy(host: WebHost, page: number): string | undefined;
}

export interface AssetsOf {
  readonly shape: WebShape;
  readonly hosts: Hosts;
  readonly places: Places;
  readonly pages: Pages;
  readonly chance: Chance;
}

export function createAssets({ shape, hosts, places, pages, chance }: AssetsOf): Assets {
  const { assetsPerPage = 0 } = shape;

  function ofPage(host: WebHost, page: number): string[] {
    const random = chance.stream(DRAW.assets, host.number, page);
    return Array.from({ length: Math.round(random() * 2 * assetsPerPage) }, () => {
      const at = random() < OWN_SHARE ? host : hosts.linked(random());
      return places.assetUrl(at, Math.floor(random() * ASSETS.length));
    });
  }

  /** A style imports a later one, shows an image of some host, and the last one has a font. */
  function ofStyle(host: WebHost, asset: number): string[] {
    const random = chance.stream(DRAW.assets, host.number, -1 - asset);
    const next = ASSETS[asset + 1] === 'css' ? asset + 1 : FONT;
    return [places.assetUrl(host, next), places.assetUrl(hosts.linked(random()), ASSETS.indexOf('png'))];
  }

  return {
    of(place) {
      if (assetsPerPage === 0) return [];
      if (place.what === 'asset')
        return ASSETS[place.asset] === 'css' ? ofStyle(place.host, place.asset) : [];
      if (place.what !== 'page' || place.isWrongScheme) return [];
      const type = pages.typeOf(place.host, place.page);
      return type === 'html' || type === 'large' ? [...new Set(ofPage(place.host, place.page))] : [];
    },
    linkedBy(host, page) {
      const at = assetsPerPage === 0 ? 1 : chance.at(DRAW.assets, host.number, page, 1);
      if (at >= LINKED_SHARE) return undefined;
      return places.assetUrl(host, Math.floor((at / LINKED_SHARE) * ASSETS.length));
    },
  };
}

/**
 * How a style says what it needs: in its first half, as a reader takes what a cut one ends with for a whole
 * URL.
 */
export function renderStyle(urls: readonly string[]): string {
  const parts = urls.map((url) =>
    url.endsWith('.css') ? `@import "${url}";\n` : `a { background: url(${url}) }\n`,
  );
  const text = parts.join('');
  return `${text}/*${'-'.repeat(text.length)}*/\n`;
}

/** How a page says what it needs. */
export const renderRequisite = (url: string, reference: string): string =>
  url.endsWith('.png')
    ? `<img src="${reference}" alt="">\n`
    : `<link rel="stylesheet" href="${reference}">\n`;
