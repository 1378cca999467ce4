/** Links that change something at a site for somebody who is signed in, and links that seem harmless and redirect to one. */
import { type Chance, DRAW } from './chance.ts';
import type { WebHost } from './hosts.ts';
import type { WebShape } from './shape.ts';

export interface ChangePlace {
  readonly page: number;
  /** It redirects to the one that changes something. */
  readonly isOpener: boolean;
}

/** The share of the links that change something to which a page does not link itself. */
const OPENERS = 0.3;
const PATHS: readonly ((page: number) => string)[] = [
  (page) => `/posts/${page}/delete`,
  (page) => `/edit?action=trash&post=${page}`,
  (page) => `/posts?_wpnonce=a1b2&id=${page}`,
  (page) => `/admin/page?id=${page}&token=x`,
];
const OPENER = /^\/go\/(\d+)$/;
const NUMBER = /(?:^\/posts\/|[?&](?:post|id)=)(\d+)/;

/** The path and query of the link that changes the page. */
export const changePath = ({ number }: Pick<WebHost, 'number'>, { page, isOpener }: ChangePlace): string =>
  isOpener ? `/go/${page}` : (PATHS[(number + page) % PATHS.length] as NonNullable<(typeof PATHS)[0]>)(page);

export function findChange(host: WebHost, path: string): ChangePlace | undefined {
  const opener = OPENER.exec(path)?.[1];
  const page = Number(opener ?? NUMBER.exec(path)?.[1] ?? host.pages);
  const place = { page, isOpener: opener !== undefined };
  return page < host.pages && path === changePath(host, place) ? place : undefined;
}

/** The change to which a page of HTML links, if it links to one. */
export function changeLinkedBy(
  { changeShare = 0 }: Pick<WebShape, 'changeShare'>,
  chance: Chance,
  { number }: Pick<WebHost, 'number'>,
  page: number,
): ChangePlace | undefined {
  const at = chance.at(DRAW.changing, number, page);
  return at < changeShare ? { page, isOpener: at < changeShare * OPENERS } : undefined;
}
