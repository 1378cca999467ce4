/**
 * Notices the templates of a host's URLs (`url/template-of.ts`) whose pages add nothing new, and closes them:
 * no more of them is to be fetched. For hosts with many pages, where a trap is possible.
 *
 * The value of a page: 1 for a text that its template has not had, half of what its target's template is
 * worth above `trapMinNew` for a new link to another template, else nothing. Texts are compared as
 * `parser/text-hash.ts` takes them. `fresh` is the moving mean of that. It begins at 1 and takes 74 worthless
 * pages to fall below the default of `trapMinNew`; so a template closes after some 80 pages at the earliest.
 * Only half of a target's worth, since else two worthless templates with new links to each other would live
 * by each other: they close after some 120 pages each.
 *
 * It closes only while it grows: its URLs come from its own pages, from a template that grows by itself (the months
 * whose days these are), or from one that is worthless, too. All that other pages list is finite: an index of
 * constants, a table of contents.
 *
 * One whose last pages all forbid their use (`noindex` and `nofollow`) closes at once, however it grows: the pages by which a wiki is edited.
 *
 * Caught: calendars, counters and searches without end, whose pages are alike but for numbers; URLs with a
 * session's or a visitor's id in them, since the same pages come again and again. The more different pages
 * there are, the later: of 200, after several thousand.
 *
 * Not caught: pages made of random words; templates that differ in words, each of which is another one (see
 * `trap-watch.ts`).
 *
 * Left alone: products, articles, documents, each with a text of its own; lists without such, while they lead
 * to pages with one, or to lists of those (three steps at most); files (their bytes are their text); what is
 * fetched seldom; what few pages list. Wrongly closed: pages that differ in nothing but numbers (tables of
 * measurements, one a page) or in what is not text (pages that scripts fill), if they lead to one another or are
 * listed by page after page, unless they have titles of their own, links to new pages or other images. For such sites set `trapAfterPages` or `trapMinNew` to 0.
 */
import { SIZES, type Sizes } from '../base/sizes.ts';
import { templateOf } from '../url/template-of.ts';
import { worthKeeping } from './group-map.ts';
import {
  needsText,
  packMemory,
  rounded,
  type TextMemory,
  unpackMemory,
  windowOf,
  worthOfText,
} from './text-memory.ts';

/** The state of a template, as JSON in the host's head. */
export interface WatchedTemplate {
  readonly template: string;
  /** Pages, including those of forgotten templates that it replaced. */
  readonly pages: number;
  /** How many of `pages` may belong to other templates. Default: 0. */
  readonly inherited?: number;
  /** The worth of its last pages: a moving mean, 0 to 1. */
  readonly fresh: number;
  /** The share of its last pages whose URLs come, or may come, from pages without end: a moving mean. Default: 1. */
  readonly growth?: number;
  /** New URLs of it that each of its own pages brings: a moving mean, 2 at most. Default: 0. */
  readonly own?: number;
  /** URLs of it that pages without end have brought, less its pages since. Default: 0. */
  readonly stock?: number;
  /** 16 bits of each of the last distinct texts, the last one first. */
  readonly seen: readonly number[];
  /**
   * The share of new texts among those that differ from the last ones: a moving mean over the sample.
   * Default: 1.
   */
  readonly novel?: number;
  /** How many of its last pages forbid their use; of a closed template, only if that closed it. Default: 0. */
  readonly unused?: number;
  /** A {@link TextSample}. */
  readonly level?: number;
  readonly texts?: readonly number[];
  readonly isClosed?: true;
}

/** The new content of a page. */
export interface PageYield {
  /**
   * Links to the host's own pages that it did not know: they are worth what their templates are. The first 50
   * count.
   */
  readonly newLinks: readonly string[];
  /** Hash of its text with all digits as one letter, or of its bytes. A page without a hash counts as new. */
  readonly textHash?: number;
  /** It names its own path with other parameters as its canonical URL: its text counts for nothing. */
  readonly isCopy?: boolean;
  /** Neither its text nor its links may be used. */
  readonly isUnused?: boolean;
}

export interface TemplateWatch {
  /** Whether the text of this page will be requested; not of a template's first pages ({@link needsText}). */
  wantsText(url: string): boolean;
  /** Call it for each page that was fetched successfully, the first time only. About 1 us. */
  count(url: string, brought: PageYield): void;
  /**
   * Returns the worth of a new link for the page that has it, if the link belongs to another template: 0 to
   * 1.
   */
  worthOfLink(url: string): number;
  /** Called for each link: no work while nothing is closed. */
  isClosed(url: string): boolean;
  /** The closed template that the URL is of. */
  closedBy(url: string): string | undefined;
  /** Whether the template was closed because its pages forbid their use. */
  forbidsUse(template: string): boolean;
  /** The closed templates, the first one first. */
  closed(): readonly string[];
  /** Returns the state to store: of the templates with a single page, only the last ones. */
  state(): readonly WatchedTemplate[];
}

/**
 * Templates watched at a time. They are chosen as in the Space-Saving sketch (Metwally et al., ICDT 2005): a new
 * template replaces the one with the fewest pages, and inherits its count. So a template with a 16th of the pages is
 * watched.
 */
const MAX_OPEN = 16;
/** Beyond this number, the one that was closed first is forgotten: it may open, and close again. */
const MAX_CLOSED = 32;
const LINK_SHARE = 0.5;
/** A template grows if this share of its pages comes from pages without end. It is without end if each of its own brings as much. */
const MIN_GROWTH = 0.5;
const MAX_OWN = 2;
/** A template of fewer pages is not known to be without end: they may have listed one another. */
const MIN_SOURCE_PAGES = 5;
const MAX_STOCK = 999;
/** New links of one page that are looked at. */
export const MAX_LINKS = 50;

/** As {@link WatchedTemplate}, to be changed. */
interface Watched extends TextMemory {
  readonly template: string;
  pages: number;
  readonly inherited: number;
  fresh: number;
  growth: number;
  own: number;
  stock: number;
  unused: number;
}

export const createTemplateWatch = (
  state: readonly WatchedTemplate[],
  options: { readonly minNew: number; readonly sizes?: Sizes },
): TemplateWatch => new WatchedTemplates(state, options);

class WatchedTemplates implements TemplateWatch {
  readonly #minNew: number;
  readonly #sizes: Sizes;
  readonly #open = new Map<string, Watched>();
  readonly #closed = new Map<string, WatchedTemplate>();

  constructor(
    state: readonly WatchedTemplate[],
    { minNew, sizes = SIZES }: { readonly minNew: number; readonly sizes?: Sizes },
  ) {
    this.#minNew = minNew;
    this.#sizes = sizes;
    for (const kept of state) {
      if (kept.isClosed) this.#closed.set(kept.template, kept);
      else this.#open.set(kept.template, unpacked(kept));
    }
  }

  wantsText(url: string): boolean {
    const watched = this.#open.get(templateOf(url));
    return watched !== undefined && ownPages(watched) >= this.#sizes.minTextPages && needsText(watched, url);
  }

  count(url: string, brought: PageYield): void {
    const template = templateOf(url);
    if (this.#closed.has(template)) return;
    const sizes = this.#sizes;
    const watched = this.#open.get(template) ?? this.#admit(template);
    watched.pages++;
    const ofText = worthOfPage(watched, brought, sizes);
    const targets = brought.newLinks.slice(0, MAX_LINKS).map(templateOf);
    const worth = ofText >= LINK_SHARE ? ofText : Math.max(ofText, this.#worthOfLinks(template, targets));
    const pages = ownPages(watched);
    watched.fresh += (worth - watched.fresh) / windowOf(pages, sizes);
    this.#grow(watched, targets);
    watched.unused = brought.isUnused ? watched.unused + 1 : 0;
    const addsNothing = watched.fresh < this.#minNew && watched.growth >= MIN_GROWTH;
    if (pages >= sizes.minTrapPages && (addsNothing || watched.unused >= sizes.minTrapPages))
      this.#close(watched);
  }

  worthOfLink(url: string): number {
    return this.#worthOfTarget(templateOf(url));
  }

  isClosed(url: string): boolean {
    return this.closedBy(url) !== undefined;
  }

  closedBy(url: string): string | undefined {
    if (this.#closed.size === 0) return undefined;
    const template = templateOf(url);
    return this.#closed.has(template) ? template : undefined;
  }

  forbidsUse(template: string): boolean {
    return this.#closed.get(template)?.unused !== undefined;
  }

  closed(): readonly string[] {
    return [...this.#closed.keys()];
  }

  state(): readonly WatchedTemplate[] {
    const open = worthKeeping([...this.#open.values()], ownPages);
    return [...this.#closed.values(), ...open.map(packed)];
  }

  #admit(template: string): Watched {
    const open = this.#open;
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

  #close(watched: Watched): void {
    const { template, fresh, unused } = watched;
    const closed = this.#closed;
    this.#open.delete(template);
    for (const first of closed.keys()) if (closed.size >= MAX_CLOSED) closed.delete(first);
    closed.set(template, {
      template,
      pages: ownPages(watched),
      fresh: rounded(fresh),
      seen: [],
      ...(unused >= this.#sizes.minTrapPages && { unused }),
      isClosed: true,
    });
  }

  /** Counts whether the page comes from pages without end, and what it brings to its own template and to others. */
  #grow(watched: Watched, targets: readonly string[]): void {
    const pages = ownPages(watched);
    const window = Math.min(pages, windowOf(pages, this.#sizes));
    const own = targets.filter((target) => target === watched.template).length;
    watched.own += (Math.min(own, MAX_OWN) - watched.own) / window;
    const isEndless = pages >= MIN_SOURCE_PAGES && watched.own >= MIN_GROWTH;
    if (isEndless || watched.fresh < this.#minNew)
      for (const target of targets) {
        const fed = this.#open.get(target);
        if (fed) fed.stock = Math.min(fed.stock + 1, MAX_STOCK);
      }
    watched.growth += ((watched.stock > 0 ? 1 : 0) - watched.growth) / windowOf(pages, this.#sizes);
    watched.stock = Math.max(watched.stock - 1, 0);
  }

  #worthOfLinks(template: string, targets: readonly string[]): number {
    let best = 0;
    for (let i = 0; i < targets.length && best < LINK_SHARE; i++) {
      const target = targets[i] as string;
      if (target !== template) best = Math.max(best, this.#worthOfTarget(target));
    }
    return best;
  }

  #worthOfTarget(target: string): number {
    const minNew = this.#minNew;
    const fresh = this.#closed.has(target) ? 0 : (this.#open.get(target)?.fresh ?? 1);
    return fresh <= minNew ? 0 : ((fresh - minNew) / (1 - minNew)) * LINK_SHARE;
  }
}

const ownPages = ({ pages, inherited }: Watched): number => pages - inherited;

function worthOfPage(watched: Watched, { textHash, isCopy }: PageYield, sizes: Sizes): number {
  if (textHash === undefined || ownPages(watched) <= sizes.minTextPages) return 1;
  return isCopy ? 0 : worthOfText(watched, textHash, sizes);
}

function unpacked({ template, pages, inherited = 0, fresh, ...more }: WatchedTemplate): Watched {
  const { growth = 1, own = 0, stock = 0, unused = 0, ...memory } = more;
  return { template, pages, inherited, fresh, growth, own, stock, unused, ...unpackMemory(memory) };
}

function packed({
  template,
  pages,
  inherited,
  fresh,
  growth,
  own,
  stock,
  unused,
  ...memory
}: Watched): WatchedTemplate {
  return {
    template,
    pages,
    ...(inherited > 0 && { inherited }),
    fresh: rounded(fresh),
    ...(growth < 1 && { growth: rounded(growth) }),
    ...(own > 0 && { own: rounded(own) }),
    ...(stock > 0 && { stock }),
    ...(unused > 0 && { unused }),
    ...packMemory(memory),
  };
}
