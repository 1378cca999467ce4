/**
 * Closes folders that serve equal pages under endless paths: relative links that lead deeper, servers that
 * answer each path with one page. Of a closed folder, URLs of two or more further words are no longer
 * fetched; URLs directly in it stay open. URLs with a query are left to the other watches.
 *
 * A folder closes, after 50 pages at least, when less than `minNew` of its last 25 to 100 pages (100 for the host's
 * root) were worth something, and the folder feeds itself: its pages bring one new link into the folder for every two
 * pages, or more. A finite tree of equal pages (a mirror, pages that scripts fill) runs out of new links. A page is
 * worth something if its text, together with the relative targets of its new links, is new to the folder, or if it has
 * a new link out of the folder.
 *
 * The pages of a closed folder do not count against the folders around it. From the fifth closed folder on they do
 * count, since a trap that makes endless folders would have no end otherwise.
 */
import { SIZES, type Sizes } from '../base/sizes.ts';
import { admitGroup, closeGroup, keptGroups, restoreGroups } from './group-map.ts';
import {
  hashText,
  type KeptTextMemory,
  needsText,
  packMemory,
  rounded,
  type TextMemory,
  unpackMemory,
  windowOf,
  worthOfText,
} from './text-memory.ts';

/** The state of a folder, as JSON in the host's head. */
export interface WatchedFolder extends KeptTextMemory {
  /** Its path and `**`. */
  readonly group: string;
  readonly pages: number;
  /** Moving means of the worth of its last pages, and of their new links into it (2 at most). */
  readonly fresh: number;
  readonly growth?: number;
  readonly isClosed?: true;
}

interface FolderYield {
  /** The first 50 count. */
  readonly newLinks: readonly string[];
  readonly textHash: number | undefined;
  readonly worthOfLink: (url: string) => number;
}

export interface FolderWatch {
  wantsText(url: string): boolean;
  count(url: string, brought: FolderYield): void;
  /** The closed group that the URL is of. No work while nothing is closed. */
  closedBy(url: string): string | undefined;
  state(): readonly WatchedFolder[];
}

const MAX_OPEN = 8;
const MAX_CLOSED = 16;
/** The root, a folder of it, and one of that. */
const MAX_DEPTH = 2;
/** Closed folders that explain the pages of the folder around them, and of a whole host, which has the most to lose. */
const MAX_EXPLAINING = 4;
const MAX_EXPLAINING_HOST = 12;
const MIN_GROWTH = 0.5;
const MAX_GROWTH = 2;
const MAX_LINKS = 50;

interface Watched extends TextMemory {
  readonly group: string;
  weight: number;
  pages: number;
  fresh: number;
  growth: number;
}

export function createFolderWatch(
  state: readonly WatchedFolder[],
  { minNew, sizes = SIZES }: { readonly minNew: number; readonly sizes?: Sizes },
): FolderWatch {
  const { open, closed } = restoreGroups(state, unpacked);

  const closedGroup = (groups: readonly string[]): string | undefined =>
    groups.find((group) => closed.has(group));

  /** Whether the closed folders inside are few enough to explain this folder's pages. */
  function isExplained(group: string): boolean {
    const folder = group.slice(0, -ANY.length);
    const inside = closed.keys().filter((other) => other.startsWith(folder));
    return [...inside].length <= (group === ROOT ? MAX_EXPLAINING_HOST : MAX_EXPLAINING);
  }

  function close({ group, pages, fresh }: Watched): void {
    closeGroup(open, closed, MAX_CLOSED, { group, pages, fresh: rounded(fresh), isClosed: true });
  }

  return {
    wantsText: (url) =>
      open.size > 0 &&
      foldersOf(url).some((group) => {
        const watched = open.get(group);
        if (watched === undefined || watched.pages < sizes.minTextPages) return false;
        return watched.growth >= MIN_GROWTH / 2 && needsText(watched, url);
      }),
    count(url, { newLinks, textHash, worthOfLink }) {
      const groups = foldersOf(url);
      if (groups.length === 0 || closedGroup(groups) !== undefined) return;
      const links = newLinks.length > MAX_LINKS ? newLinks.slice(0, MAX_LINKS) : newLinks;
      const hash =
        textHash === undefined
          ? undefined
          : textHash ^ hashText(links.map((link) => relativeTo(url, link)).join(' '));
      /** The text is new to a smaller folder that knows some: a mirror of what other folders have. */
      let isVouched = false;
      let hasClosed = false;
      for (const group of groups) {
        const watched =
          open.get(group) ?? admitGroup(open, group, MAX_OPEN, (weight) => newGroup(group, weight));
        watched.weight++;
        watched.pages++;
        const isYoung = watched.pages <= sizes.minTextPages;
        const isKnown = isYoung || hash === undefined;
        const text = isKnown ? 1 : Math.max(worthOfText(watched, hash, sizes), isVouched ? 1 : 0);
        let grown = 0;
        let worth = text;
        for (const link of links)
          if (isInside(group, link)) grown++;
          else if (worth < 1) worth = Math.max(worth, worthOfLink(link));
        if (!isYoung && worth >= 1) isVouched = true;
        const window = group === ROOT ? sizes.maxTrapWindow : windowOf(watched.pages, sizes);
        watched.fresh += (worth - watched.fresh) / window;
        watched.growth += (Math.min(grown, MAX_GROWTH) - watched.growth) / window;
        // Pages that a smaller folder explains do not count against the folders around it.
        if (hasClosed && isExplained(group)) watched.fresh = 1;
        else if (
          watched.pages >= sizes.minTrapPages &&
          watched.fresh < minNew &&
          watched.growth >= MIN_GROWTH
        ) {
          close(watched);
          hasClosed = true;
        }
      }
    },
    closedBy: (url) => (closed.size === 0 ? undefined : closedGroup(foldersOf(url))),
    state: () => keptGroups(open, closed, packed),
  };
}

const ROOT = '/**';
const ANY = '**';
/** Between the words of a path. */
const BETWEEN = /[/+,]|%2f/gi;

/** The groups of the folders that a URL is a page of, the smallest folder first. */
function foldersOf(url: string): string[] {
  if (url.includes('?', 8)) return [];
  const path = url.slice(url.indexOf('/', 8), url.endsWith('/') ? -1 : undefined);
  const groups: string[] = [];
  let from = 0;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    BETWEEN.lastIndex = from + 1;
    if (!BETWEEN.test(path)) break;
    groups.unshift(path.slice(0, from + 1) + ANY);
    from = path.indexOf('/', from + 1);
    if (from < 0) break;
  }
  return groups;
}

/** Whether `group` is among {@link foldersOf} the URL. */
function isInside(group: string, url: string): boolean {
  const from = url.indexOf('/', 8);
  const folder = group.length - ANY.length;
  for (let i = 0; i < folder; i++) if (url.charCodeAt(from + i) !== group.charCodeAt(i)) return false;
  BETWEEN.lastIndex = from + folder;
  if (!BETWEEN.test(url) || url.includes('?', from)) return false;
  // A slash at the end separates nothing.
  return BETWEEN.lastIndex < url.length || !url.endsWith('/');
}

/** Where a link leads, seen from its page: alike for pages whose relative links are. Digits are as one. */
function relativeTo(page: string, link: string): string {
  if (link.startsWith(page)) return link.slice(page.length).replace(/\d+/g, '0');
  let common = 0;
  for (let i = 0; i < page.length && page.charCodeAt(i) === link.charCodeAt(i); i++)
    if (page.charCodeAt(i) === SLASH) common = i + 1;
  let up = '';
  for (let i = page.indexOf('/', common); i >= 0; i = page.indexOf('/', i + 1)) up += '../';
  return up + link.slice(common).replace(/\d+/g, '0');
}

const SLASH = 0x2f;

const newGroup = (group: string, weight: number): Watched => ({
  group,
  weight,
  pages: 0,
  fresh: 1,
  growth: 1,
  ...unpackMemory({}),
});

function unpacked({ group, pages, fresh, growth = 1, ...memory }: WatchedFolder): Watched {
  return { ...newGroup(group, pages), ...unpackMemory(memory), pages, fresh, growth };
}

const packed = ({ group, pages, fresh, growth, ...memory }: Watched): WatchedFolder => ({
  group,
  pages,
  fresh: rounded(fresh),
  growth: rounded(growth),
  ...packMemory(memory),
});
