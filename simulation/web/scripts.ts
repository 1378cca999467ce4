/** Pages that scripts fill: what they request when they are rendered. Without that they have no links. */
import { type Chance, DRAW } from './chance.ts';
import type { Hosts, WebHost } from './hosts.ts';
import type { Pages } from './pages.ts';
import type { Part } from './part.ts';
import type { Place, Places } from './places.ts';
import type { WebShape } from './shape.ts';

export interface Scripts {
  isScripted(place: Place): boolean;
  /** The requests of a page: those of a list at once, after all answers to the lists before it. */
  partsOf(place: Place): readonly (readonly Part[])[];
  /** Routes behind `#` that a page links to once it is rendered: the first has the page's text, the others a text of their own. */
  routesOf(place: Place): readonly string[];
}

const POSTS = 0.3;
/** Pages with requests to another host, and those of them that make more than a page may. */
const OTHERS = 0.5;
const MANY_OTHERS = 0.3;
const MOST_OTHERS = 3;
const MOST_CHUNKS = 4;
/** Pages with routes. */
const ROUTED = 0.3;
const MOST_ROUTES = 5;
const TOO_MANY_OTHERS = 25;

export function createScripts({
  shape: { scriptedShare = 0 },
  hosts,
  places,
  pages,
  chance,
}: {
  readonly shape: WebShape;
  readonly hosts: Hosts;
  readonly places: Places;
  readonly pages: Pages;
  readonly chance: Chance;
}): Scripts {
  const isScripted = (place: Place): boolean =>
    scriptedShare > 0 &&
    place.what === 'page' &&
    pages.isHtml(place) &&
    pages.harmOf(place.host, place.page) === undefined &&
    chance.at(DRAW.scripts, place.host.number, place.page) < scriptedShare;

  const part = (host: WebHost, page: number, name: string, more: Partial<Part> = {}): Part => ({
    url: places.partUrl(host, page, name),
    method: 'GET',
    kind: name.endsWith('.js') ? 'script' : 'xhr',
    isNeeded: true,
    ...more,
  });

  function chunksOf(host: WebHost, page: number): readonly Part[] {
    const count = Math.floor(chance.at(DRAW.scripts, host.number, page, 2) * (MOST_CHUNKS + 1));
    return Array.from({ length: count }, (_, i) => part(host, page, `chunk-${i}.js`, { isNeeded: false }));
  }

  function othersOf(host: WebHost, page: number): readonly Part[] {
    const random = chance.stream(DRAW.scripts, host.number, page);
    if (random() >= OTHERS) return [];
    const other = hosts.linked(random());
    if (other === host) return [];
    const count = random() < MANY_OTHERS ? TOO_MANY_OTHERS : 1 + Math.floor(random() * MOST_OTHERS);
    const name = (i: number) => `other-${host.number}-${page}-${i}.json`;
    return Array.from({ length: count }, (_, i) => part(other, 0, name(i), { isNeeded: false }));
  }

  return {
    isScripted,
    routesOf(place) {
      if (place.what !== 'page' || !isScripted(place)) return [];
      const { host, page } = place;
      if (chance.at(DRAW.scripts, host.number, page, 3) >= ROUTED) return [];
      const count = 1 + Math.floor(chance.at(DRAW.scripts, host.number, page, 4) * MOST_ROUTES);
      const mark = chance.at(DRAW.scripts, host.number, page, 5) < 0.5 ? '#/' : '#!/';
      return Array.from({ length: count }, (_, i) => `${places.pageUrl(host, page)}${mark}route-${i}`);
    },
    partsOf(place) {
      if (place.what !== 'page' || !isScripted(place)) return [];
      const { host, page } = place;
      const isPosted = chance.at(DRAW.scripts, host.number, page, 1) < POSTS;
      return [
        [part(host, page, 'app.js'), ...chunksOf(host, page), ...othersOf(host, page)],
        [
          part(host, page, `data-${page}.json`),
          ...(isPosted ? [part(host, page, `query-${page}.json`, { method: 'POST' })] : []),
        ],
      ];
    },
  };
}
