/**
 * Closes combinations of parameters (a shop's filter over filters) at a path where they bring no new pages. Every order
 * and every set of a few filters is another URL there, with another text each: lists of the same products. So texts
 * count for nothing, only new links to URLs that combine nothing themselves.
 *
 * A path has filters if its URLs combine few values in many ways: the distinct values (`color=red`) are less
 * than a third of its pages, and there are more sequences of names (`color&size`) than names. A forum's or a
 * wiki's queries have new values all the time or a few sequences alone, and are left to their templates.
 *
 * So are words of a path (`/red/large/`, `/tag/red+large`) of which the host has the other order and the last
 * one alone.
 *
 * It closes only while it grows: one in two of its pages brings a new URL of it. A list of combinations on one page, or on
 * many pages that combine nothing, is finite.
 *
 * What is judged is each path, and each folder of paths for shops that filter in many categories. It closes
 * when less than `minNew` of the last 25 to 100 pages brought a link, after 50 pages at least. Closed are
 * URLs of two or more values; numbers of pages (`page=2`) are none. A single filter at a time stays open.
 */

import { mixHash } from '../base/mix-hash.ts';
import { SIZES, type Sizes } from '../base/sizes.ts';
import { type Combination, combinationOf, pathCombinationOf } from '../url/combination-of.ts';
import { admitGroup, closeGroup, keptGroups, restoreGroups } from './group-map.ts';
import { hashText, rounded, windowOf } from './text-memory.ts';
import { distinctTexts, sampleText, type TextSample } from './text-sample.ts';

/** The state of the combinations at a path or in a folder, as JSON in the host's head. */
export interface WatchedCombinations {
  /** `/shop?*&*`, of a folder's paths `/shelves/*?*&*`, of words in a path `/shop/*+*`. */
  readonly group: string;
  readonly pages: number;
  /** The share of the last pages that brought links: a moving mean. */
  readonly fresh: number;
  /** The share of the last pages that brought a new URL of the group: a moving mean. Default: 1. */
  readonly growth?: number;
  /** Sample of the distinct values; none: all met. */
  readonly level?: number;
  readonly values?: readonly number[];
  /** 16 bits of each distinct name, and of each sequence of names. */
  readonly names?: readonly number[];
  readonly sequences?: readonly number[];
  readonly isClosed?: true;
}

export interface CombinationWatch {
  /**
   * Call it once for each page that was fetched successfully. `worthOfLinks`: the value of its best new link, ignoring
   * links to combinations and to paths below the prefix.
   */
  count(url: string, newLinks: readonly string[], worthOfLinks: (prefix: string | undefined) => number): void;
  /** The closed group that contains the URL. No work while nothing is closed. */
  closedBy(url: string): string | undefined;
  state(): readonly WatchedCombinations[];
}

/**
 * Groups watched at a time (the Space-Saving sketch: see `group-map.ts`), and closed ones that are
 * remembered.
 */
const MAX_OPEN = 8;
const MAX_CLOSED = 16;
/** Pages for each distinct value. */
const MIN_PAGES_PER_VALUE = 3;
const MAX_VALUES = 16;
const MIN_GROWTH = 0.5;
const MAX_NAMES = 16;
const MAX_SEQUENCES = 24;

interface Watched extends TextSample {
  readonly group: string;
  weight: number;
  pages: number;
  fresh: number;
  growth: number;
  readonly names: number[];
  readonly sequences: number[];
}

export function createCombinationWatch(
  state: readonly WatchedCombinations[],
  {
    minNew,
    isKnown,
    sizes = SIZES,
  }: { readonly minNew: number; readonly isKnown: (url: string) => boolean; readonly sizes?: Sizes },
): CombinationWatch {
  const { open, closed } = restoreGroups(state, unpacked);

  const isClosed = (group: string): boolean => closed.has(group);
  const closedGroup = ({ groups }: Combination): string | undefined => groups.find(isClosed);

  /** True: the group is closed now. */
  function countIn(group: string, combination: Combination, { worth, newLinks }: Brought): boolean {
    const watched = open.get(group) ?? admitGroup(open, group, MAX_OPEN, (weight) => newGroup(group, weight));
    watched.weight++;
    watched.pages++;
    for (const part of combination.parts) sampleText(watched, mixHash(hashText(part)), MAX_VALUES);
    for (const name of combination.names) addShort(watched.names, name, MAX_NAMES);
    addShort(watched.sequences, combination.names.join('&'), MAX_SEQUENCES);
    const window = windowOf(watched.pages, sizes);
    watched.fresh += (worth - watched.fresh) / window;
    watched.growth += ((newLinks.some((link) => isInside(group, link)) ? 1 : 0) - watched.growth) / window;
    if (watched.pages < sizes.minTrapPages || watched.fresh >= minNew) return false;
    if (watched.growth < MIN_GROWTH || !hasFilters(watched)) return false;
    closeGroup(open, closed, MAX_CLOSED, {
      group,
      pages: watched.pages,
      fresh: rounded(watched.fresh),
      isClosed: true,
    });
    return true;
  }

  return {
    count(url, newLinks, worthOfLinks) {
      const combination = combinationOf(url) ?? pathCombinationOf(url, isKnown);
      if (combination === undefined || closedGroup(combination) !== undefined) return;
      const [small, large] = combination.groups;
      const worth = worthOfLinks(small.endsWith(WORDS) ? large.slice(0, -WORDS.length) : undefined);
      // The larger group is judged by the pages that no smaller group explains.
      const brought = { worth, newLinks };
      if (small !== large && countIn(small, combination, brought)) open.delete(large);
      else countIn(large, combination, brought);
    },
    closedBy(url) {
      if (closed.size === 0) return undefined;
      const combination =
        combinationOf(url) ?? pathCombinationOf(url, isKnown, { inOneOrder: true, wants: isClosed });
      return combination && closedGroup(combination);
    },
    state: () => keptGroups(open, closed, packed),
  };
}

const WORDS = '*+*';

interface Brought {
  readonly worth: number;
  readonly newLinks: readonly string[];
}

/** Whether the link may be of the group: it is at its path or in its folder. */
function isInside(group: string, link: string): boolean {
  const from = link.indexOf('/', 8);
  const isAtPlace = link.startsWith(group.slice(0, group.search(/[?*]/)), from);
  return isAtPlace && (group.endsWith(WORDS) || link.includes('?', from));
}

const hasFilters = (watched: Watched): boolean =>
  watched.group.endsWith(WORDS) ||
  (watched.sequences.length > watched.names.length &&
    distinctTexts(watched) * MIN_PAGES_PER_VALUE <= watched.pages);

function addShort(to: number[], text: string, max: number): void {
  if (to.length >= max) return;
  const short = mixHash(hashText(text)) & 0xffff;
  if (!to.includes(short)) to.push(short);
}

const newGroup = (group: string, weight: number): Watched => ({
  group,
  weight,
  pages: 0,
  fresh: 1,
  growth: 1,
  level: 0,
  texts: [],
  names: [],
  sequences: [],
});

function unpacked({
  group,
  pages,
  fresh,
  growth = 1,
  level = 0,
  values = [],
  names = [],
  sequences = [],
}: WatchedCombinations): Watched {
  return {
    ...newGroup(group, pages),
    pages,
    fresh,
    growth,
    level,
    texts: [...values],
    names: [...names],
    sequences: [...sequences],
  };
}

const packed = ({
  group,
  pages,
  fresh,
  growth,
  level,
  texts,
  names,
  sequences,
}: Watched): WatchedCombinations => ({
  group,
  pages,
  fresh: rounded(fresh),
  ...(growth < 1 && { growth: rounded(growth) }),
  ...(level > 0 && { level }),
  ...(texts.length > 0 && { values: [...texts], names: [...names], sequences: [...sequences] }),
});
