/**
 * Decides which templates of a host's URLs a crawl renders, with `render: 'needed'`. A trial renders one page and compares it
 * with the plain one. Three trials decide by the middle one, so one strange page does not. The first pages that show a
 * sign are trials; pages without one may lack something, too, so some of each template are trials in any case.
 */
import { ByteReader, ByteWriter } from '../frontier/bytes.ts';
import { isRoute } from '../url/hash-route.ts';
import { fetchedUrl } from '../url/request-url.ts';
import { templateKey, templateOf } from '../url/template-of.ts';
import { NEEDED_GAIN } from './gain.ts';

export type RenderMode = 'plain' | 'rendered' | 'trial';

/** The signs in a page's markup. */
interface MarkupSigns {
  readonly hasScripts: boolean;
  /** Called only where it counts: signs that its scripts fill the page (`isUnfilled`). */
  readonly isUnfilled: () => boolean;
}

/** Knowledge about a template. */
export interface TemplateNeed {
  /** HTML pages so far. */
  readonly pages: number;
  /** The gains of the last trials, at most three, in hundredths of the plain page. */
  readonly gains: readonly number[];
  /** Trials that have failed since the last one that did not. They teach nothing. */
  readonly failed: number;
  /** Undefined: not decided yet. */
  readonly mode?: 'plain' | 'rendered';
}

export interface TemplateNeeds {
  /** Returns the mode of a page that was fetched, and counts it. */
  modeOf(url: string, signs: MarkupSigns, now: number): RenderMode;
  /** Takes in the gain of a trial; undefined: it has failed. */
  learn(url: string, gain: number | undefined, now: number): void;
  of(url: string): TemplateNeed | undefined;
  all(): readonly TemplateNeed[];
  /** To be stored in the host's head: base64. Undefined: nothing was counted. */
  state(): string | undefined;
}

/** Templates that are known at a time, at about 12 bytes each. */
const MAX_TEMPLATES = 64;
const TRIALS = 3;
/** Pages of a template that are trials though they show no sign. */
const AUDITED: ReadonlySet<number> = new Set([2, 20, 200, 2000]);
/** A decision, or three failed trials in a row, hold for this many pages of the template, or days. */
const PAGES_AGAIN = 200;
const DAYS_AGAIN = 30;
/** Larger gains count as this one. */
export const MAX_GAIN = 250;

/** As {@link TemplateNeed}, to be changed. */
interface Kept {
  pages: number;
  gains: number[];
  failed: number;
  /** The page and the day of the decision. */
  sincePage: number;
  sinceDay: number;
}

export function createTemplateNeeds(stored?: string): TemplateNeeds {
  const kept = new Map<number, Kept>(stored === undefined ? [] : unpack(stored));

  function take(url: string): Kept {
    const key = keyOf(url);
    let found = kept.get(key);
    if (found) return found;
    if (kept.size >= MAX_TEMPLATES) kept.delete(leastOf(kept));
    found = { pages: 0, gains: [], failed: 0, sincePage: 0, sinceDay: 0 };
    kept.set(key, found);
    return found;
  }

  return {
    modeOf(url, { hasScripts, isUnfilled }, now) {
      const template = take(url);
      template.pages++;
      if (!hasScripts) return 'plain';
      if (isSettled(template)) return isDueAgain(template, now) ? 'trial' : modeOf(template);
      const isPromising = (template.gains.at(-1) ?? 0) > NEEDED_GAIN;
      return isPromising || AUDITED.has(template.pages) || isUnfilled() ? 'trial' : 'plain';
    },
    learn(url, gain, now) {
      const template = take(url);
      const hadMode = template.gains.length === TRIALS ? modeOf(template) : undefined;
      if (gain === undefined) template.failed = Math.min(TRIALS, template.failed + 1);
      else {
        const found = Math.min(MAX_GAIN, Math.max(0, Math.round(gain)));
        template.failed = 0;
        const isOther = hadMode !== undefined && found > NEEDED_GAIN !== (hadMode === 'rendered');
        // A single page does not change the mode: further trials decide.
        template.gains = isOther ? [found] : [...template.gains.slice(1 - TRIALS), found];
      }
      if (!isSettled(template)) return;
      template.sincePage = template.pages;
      template.sinceDay = dayOf(now);
    },
    of: (url) => known(kept.get(keyOf(url))),
    all: () => [...kept.values()].flatMap((one) => known(one) ?? []),
    state: () => (kept.size === 0 ? undefined : pack(kept)),
  };
}

const known = (kept: Kept | undefined): TemplateNeed | undefined =>
  kept && {
    pages: kept.pages,
    gains: kept.gains,
    failed: kept.failed,
    ...(isSettled(kept) && { mode: modeOf(kept) }),
  };

const isSettled = ({ gains, failed }: Kept): boolean => gains.length === TRIALS || failed === TRIALS;

const isDueAgain = ({ pages, sincePage, sinceDay }: Kept, now: number): boolean =>
  pages - sincePage >= PAGES_AGAIN || dayOf(now) - sinceDay >= DAYS_AGAIN;

function modeOf({ gains }: Kept): 'plain' | 'rendered' {
  const [, middle = 0] = gains.toSorted((a, b) => a - b);
  return gains.length === TRIALS && middle > NEEDED_GAIN ? 'rendered' : 'plain';
}

/** The key of the template with the fewest pages. */
function leastOf(kept: ReadonlyMap<number, Kept>): number {
  let least: [number, Kept] | undefined;
  for (const entry of kept) if (least === undefined || entry[1].pages < least[1].pages) least = entry;
  return least?.[0] ?? 0;
}

/**
 * The template that a page is rendered by: pages of one folder, or route, with the same parameters. The last part of a
 * path is a number on some sites and a title on others. All routes behind `#` of these pages are of one template.
 */
export function renderTemplateOf(url: string): string {
  if (isRoute(url)) return `${renderTemplateOf(fetchedUrl(url))}#/*`;
  const template = templateOf(url);
  const mark = template.indexOf('?');
  const path = mark < 0 ? template : template.slice(0, mark);
  const slash = path.lastIndexOf('/');
  const ending = /\.[a-z]{1,5}$/i.exec(path)?.[0] ?? '';
  const last = slash + 1 === path.length ? '' : `*${ending}`;
  return `${path.slice(0, slash + 1)}${last}${mark < 0 ? '' : template.slice(mark)}`;
}

const keyOf = (url: string): number => templateKey(renderTemplateOf(url));

const dayOf = (now: number): number => Math.floor(now / 86_400_000);

function pack(kept: ReadonlyMap<number, Kept>): string {
  const writer = new ByteWriter();
  for (const [key, { pages, gains, failed, sincePage, sinceDay }] of kept) {
    writer.uint32(key);
    writer.varint(pages);
    writer.byte(gains.length * (TRIALS + 1) + failed);
    for (const gain of gains) writer.byte(gain);
    writer.varint(sincePage);
    writer.varint(sinceDay);
  }
  return Buffer.from(writer.bytes()).toString('base64');
}

function* unpack(stored: string): Generator<[number, Kept]> {
  const reader = new ByteReader(Buffer.from(stored, 'base64'));
  while (!reader.isAtEnd) {
    const key = reader.uint32();
    const pages = reader.varint();
    const counts = reader.varint();
    const gains = [...reader.raw(Math.floor(counts / (TRIALS + 1)))];
    yield [
      key,
      { pages, gains, failed: counts % (TRIALS + 1), sincePage: reader.varint(), sinceDay: reader.varint() },
    ];
  }
}
