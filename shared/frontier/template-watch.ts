/**
 * Notices the templates of a host's URLs (`url/template-of.ts`) whose pages bring nothing new, and closes them: no more
 * of them is to be fetched. For a host with so many pages that it may hold a trap.
 *
 * What a page is worth: 1 for a text that its template has not had, half of what its target's template is worth for a new
 * link to another template, else nothing. Texts are compared without their digits. `fresh` is the moving mean of that. It
 * begins at 1 and takes 74 worthless pages to fall below the default of `trapMinNew`; so a template closes after some 80
 * pages at the earliest. Only half of a target's worth, since else two worthless templates with new links to each other
 * would live by each other.
 *
 * Caught: calendars, counters and searches without end, whose pages are alike but for numbers; URLs with a session's or a
 * visitor's id in them, since the same pages come again and again. The more different pages there are, the later: of 200,
 * after several thousand.
 *
 * Not caught: pages made of random words; templates that differ in words (a shop's filters), each of which is another one.
 *
 * Left alone: products, articles, documents, each with a text of its own; lists without such, while they lead to pages
 * with one, or to lists of those (four steps at most); files (their bytes are their text); what is fetched seldom.
 * Wrongly closed: pages that differ in nothing but numbers (tables of measurements, one a page) or in what is not text
 * (photos with their number for a title, pages that scripts fill), unless they have links to new pages or, with
 * `requisites`, new pictures. For such sites `trapAfterPages` or `trapMinNew` is to be 0.
 */
import { templateOf } from '../url/template-of.ts';
import { mixHash, sampleText, type TextSample } from './text-sample.ts';

export { templateOf };

/** What is known of a template, as JSON in the host's head. */
export interface WatchedTemplate {
  readonly template: string;
  /** Pages, together with those of forgotten templates whose place it took. */
  readonly pages: number;
  /** So many of `pages` may be others'. None: 0. */
  readonly inherited?: number;
  /** What its last pages were worth: a moving mean, 0 to 1. */
  readonly fresh: number;
  /** 16 bits of each of the last distinct texts, the last one first. */
  readonly seen: readonly number[];
  /** Of texts that are not among the last ones, the share that was new: a moving mean over the sample. None: 1. */
  readonly novel?: number;
  /** A {@link TextSample}. */
  readonly level?: number;
  readonly texts?: readonly number[];
  readonly isClosed?: true;
}

/** What a page brought. */
export interface PageYield {
  /** Links to the host's own pages that it did not know: they are worth what their templates are. The first 50 count. */
  readonly newLinks: readonly string[];
  /** Of its text with all digits as one letter, or of its bytes. Without it the page counts as new. */
  readonly textHash?: number;
}

export interface TemplateWatch {
  /** Whether the text of this page will be asked for; not of a template's first pages. */
  wantsText(url: string): boolean;
  /** Hears of each page that was fetched well, the first time: what is fetched again has its text. About 1 us. */
  count(url: string, brought: PageYield): void;
  /** Asked for each link: no work while nothing is closed. */
  isClosed(url: string): boolean;
  /** The closed templates, the first one first. */
  closed(): readonly string[];
  /** What is to be kept. Templates met but once since they came in are not. */
  state(): readonly WatchedTemplate[];
}

/**
 * Templates watched at a time. Which ones, is decided as in the Space-Saving sketch (Metwally et al., ICDT 2005): a new
 * one takes the place of the one with the fewest pages, and its count. So a template with a 16th of the pages is watched.
 */
const MAX_OPEN = 16;
/** Of more, the one that was closed first is forgotten: it may open again, and close again. */
const MAX_CLOSED = 32;
/** From so many pages on, texts are looked at. The many templates with fewer pages take no room for them. */
const MIN_TEXT_PAGES = 8;
const MIN_PAGES = 50;
const MAX_SEEN = 8;
/** The mean goes over so many pages; of a template with many pages, a quarter of them. See `windowOf`. */
const MIN_WINDOW = 25;
const MAX_WINDOW = 100;
const LINK_SHARE = 0.5;
/** New links of one page that are looked at. */
export const MAX_LINKS = 50;

/** As {@link WatchedTemplate}, to be changed. */
interface Watched extends TextSample {
  readonly template: string;
  pages: number;
  readonly inherited: number;
  fresh: number;
  readonly seen: number[];
  novel: number;
}

export function createTemplateWatch(
  state: readonly WatchedTemplate[],
  { minNew }: { readonly minNew: number },
): TemplateWatch {
  const open = new Map<string, Watched>();
  const closed = new Map<string, WatchedTemplate>();
  for (const kept of state) {
    if (kept.isClosed) closed.set(kept.template, kept);
    else open.set(kept.template, unpacked(kept));
  }

  return {
    wantsText(url) {
      const watched = open.get(templateOf(url));
      return watched !== undefined && ownPages(watched) >= MIN_TEXT_PAGES;
    },
    count(url, brought) {
      const template = templateOf(url);
      if (closed.has(template)) return;
      const watched = open.get(template) ?? admit(template);
      watched.pages++;
      const worth = Math.max(worthOfText(watched, brought.textHash), worthOfLinks(template, brought));
      watched.fresh += (worth - watched.fresh) / windowOf(watched);
      if (ownPages(watched) >= MIN_PAGES && watched.fresh < minNew) close(watched);
    },
    isClosed: (url) => closed.size > 0 && closed.has(templateOf(url)),
    closed: () => [...closed.keys()],
    state: () => [
      ...closed.values(),
      ...open
        .values()
        .filter((watched) => ownPages(watched) > 1)
        .map(packed),
    ],
  };

  function admit(template: string): Watched {
    let inherited = 0;
    if (open.size >= MAX_OPEN) {
      const least = open.values().reduce((a, b) => (b.pages < a.pages ? b : a));
      open.delete(least.template);
      inherited = least.pages;
    }
    const watched = unpacked({ template, pages: inherited, inherited, fresh: 1, seen: [] });
    open.set(template, watched);
    return watched;
  }

  function close(watched: Watched): void {
    const { template, fresh } = watched;
    open.delete(template);
    for (const first of closed.keys()) if (closed.size >= MAX_CLOSED) closed.delete(first);
    closed.set(template, {
      template,
      pages: ownPages(watched),
      fresh: rounded(fresh),
      seen: [],
      isClosed: true,
    });
  }

  function worthOfLinks(template: string, { newLinks }: PageYield): number {
    let best = 0;
    for (let i = 0; i < newLinks.length && i < MAX_LINKS && best < 1; i++) {
      const target = templateOf(newLinks[i] as string);
      if (target !== template && !closed.has(target)) best = Math.max(best, open.get(target)?.fresh ?? 1);
    }
    return best * LINK_SHARE;
  }
}

const ownPages = ({ pages, inherited }: Watched): number => pages - inherited;

/**
 * A template that has long been good gets more time: with a window of 25 pages, one in six of whose pages brings
 * something new at random would fall below 1 in 20 by chance within some thousand pages.
 */
const windowOf = (watched: Watched): number =>
  Math.min(Math.max(ownPages(watched) / 4, MIN_WINDOW), MAX_WINDOW);

/**
 * 0 for one of the last texts. Of another one it is mostly not known whether it is new: then it is worth as much as those
 * are on the average of which it is.
 */
function worthOfText(watched: Watched, textHash: number | undefined): number {
  if (textHash === undefined || ownPages(watched) <= MIN_TEXT_PAGES) return 1;
  const mixed = mixHash(textHash);
  const { seen } = watched;
  const short = mixed & 0xffff;
  const at = seen.indexOf(short);
  if (at >= 0) seen.splice(at, 1);
  seen.unshift(short);
  if (at >= 0) return 0;
  if (seen.length > MAX_SEEN) seen.pop();
  const isNew = sampleText(watched, mixed);
  if (isNew !== undefined) watched.novel += ((isNew ? 1 : 0) - watched.novel) / MIN_WINDOW;
  return watched.novel;
}

function unpacked({
  inherited = 0,
  novel = 1,
  level = 0,
  texts = [],
  seen,
  ...kept
}: WatchedTemplate): Watched {
  return { ...kept, inherited, novel, level, texts: [...texts], seen: [...seen] };
}

function packed({ template, pages, inherited, fresh, seen, novel, level, texts }: Watched): WatchedTemplate {
  return {
    template,
    pages,
    ...(inherited > 0 && { inherited }),
    fresh: rounded(fresh),
    seen: [...seen],
    ...(novel < 1 && { novel: rounded(novel) }),
    ...(level > 0 && { level }),
    ...(texts.length > 0 && { texts: [...texts] }),
  };
}

const rounded = (share: number): number => Math.round(share * 1e4) / 1e4;
