/** The title of a page, without the name of its site. */
import { decodeHTML } from 'entities';
import { fold } from './blocks.ts';

export interface TitleSources {
  /** Titles that the page states for others, the best first: JSON-LD `headline`, `og:title`. */
  readonly declared: readonly string[];
  readonly titleElement: string | undefined;
  /** Its headings of levels 1 to 3, in document order. */
  readonly headings: readonly Heading[];
  /** `og:site_name`. */
  readonly siteName: string | undefined;
  readonly host: string;
}

export interface Heading {
  readonly level: number;
  readonly text: string;
}

const MAX_CHARS = 1000;
const MAX_HEADINGS = 50;
/** Share of a heading's words that a stated title must have for the heading to be the page's title. */
const ENOUGH_SHARED = 0.5;

/**
 * Chooses the heading that readers see where a stated title confirms it, otherwise the stated title without the
 * site's name (`Promise - JavaScript | MDN` on a page with the heading `Promise`; `iPhone Parts | iFixit` on
 * ifixit.com). Time is linear in the texts, up to 1,000 characters each.
 */
export function chooseTitle(sources: TitleSources): string | undefined {
  const stated = [...sources.declared, sources.titleElement ?? ''].map(clean).filter((text) => text !== '');
  const headings = sources.headings
    .slice(0, MAX_HEADINGS)
    .map(({ level, text }) => ({ level, text: clean(text) }))
    .filter(({ text }) => text !== '' && !isSite(text, sources));
  return (
    headingNamed(stated, headings) ??
    headingResembling(stated, headings) ??
    withoutSite(stated[0], sources) ??
    headings.find(({ level }) => level === 1)?.text
  );
}

/** A heading that is a part of a stated title, or the whole of it. */
function headingNamed(stated: readonly string[], headings: readonly Heading[]): string | undefined {
  for (const title of stated) {
    const parts = partsOf(title);
    const named = parts.flatMap((part) => headings.find(({ text }) => isSame(text, part)) ?? []);
    const [first] = named;
    if (first && !(parts.length > 1 && isSame(first.text, parts.at(-1)!))) return first.text;
    const before = first && beforeSite(parts, headings, first);
    if (before) return before;
    const words = ` ${wordsOf(title).join(' ')} `;
    const contained = headings
      .filter(({ level, text }) => level === 1 && text !== first?.text)
      .find(
        ({ text }, i) =>
          (i === 0 || wordsOf(text).length > 2) && words.includes(` ${wordsOf(text).join(' ')} `),
      );
    if (contained) return contained.text;
    if (first) return first.text;
  }
  return undefined;
}

/**
 * The last part is often the name of a site or a book, and a heading of all its pages: then the next heading is
 * the page's own if it has the words before that name (`A - Keywords - The Book`, with `Appendix A: Keywords`).
 */
function beforeSite(
  parts: readonly string[],
  headings: readonly Heading[],
  site: Heading,
): string | undefined {
  const before = wordsOf(parts.at(-2)!).join(' ');
  if (before === '') return undefined;
  const own = headings.slice(headings.indexOf(site) + 1).find(({ text }) => !isSame(text, site.text));
  return own && ` ${wordsOf(own.text).join(' ')} `.includes(` ${before} `) ? own.text : undefined;
}

/** The only heading of the first level, if a stated title has about its words. */
function headingResembling(stated: readonly string[], headings: readonly Heading[]): string | undefined {
  const first = new Map(
    headings.filter(({ level }) => level === 1).map(({ text }) => [text.toLowerCase(), text]),
  );
  if (first.size !== 1) return undefined;
  const [text] = first.values();
  const words = new Set(wordsOf(text!));
  if (words.size === 0) return undefined;
  const resembles = stated.some((title) => {
    const shared = new Set(wordsOf(title).filter((word) => words.has(word)));
    return shared.size >= ENOUGH_SHARED * words.size;
  });
  return resembles ? text : undefined;
}

function withoutSite(title: string | undefined, sources: TitleSources): string | undefined {
  if (title === undefined) return undefined;
  const parts = title.split(SEPARATOR);
  // Every second one is a separator.
  if (parts.length >= 3 && isSite(parts.at(-1)!, sources)) return parts.slice(0, -2).join('').trim();
  if (parts.length >= 3 && isSite(parts[0]!, sources)) return parts.slice(2).join('').trim();
  return title;
}

/** Whether it is the name of the site: `og:site_name`, or what the host's name says. */
function isSite(text: string, { siteName, host }: TitleSources): boolean {
  const letters = wordsOf(text).join('');
  if (letters === '') return false;
  if (siteName !== undefined && letters === wordsOf(siteName).join('')) return true;
  const labels = host.toLowerCase().split('.').slice(0, -1);
  return (
    labels.some((label) => label.length >= 3 && letters === label.replaceAll('-', '')) ||
    letters === wordsOf(host.replace(/^www\./, '')).join('')
  );
}

/** In folded text: between spaces, or a bar. */
const SEPARATOR = /( [-\u2013\u2014\u00b7\u00bb\u2022:] | ?\| ?)/;

const partsOf = (title: string): string[] =>
  title.split(SEPARATOR).filter((part, i) => i % 2 === 0 && part.trim() !== '');

const isSame = (a: string, b: string): boolean =>
  wordsOf(a).join(' ') === wordsOf(b).join(' ') && wordsOf(a).length > 0;

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Removes marks of permanent links and trailing ornaments. Some sites encode character references twice. */
const clean = (text: string): string =>
  fold(decodeHTML(text.slice(0, MAX_CHARS))).replace(/[\s\u00b6\u22c6#|]{1,20}$/u, '');
