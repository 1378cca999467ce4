/** The title of a page, without the name of its site. */
import { decodeHTML } from 'entities/decode';
import { withoutUnseen } from '../text/unseen-characters.ts';
import { fold } from './fold.ts';

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
  /** It is a link as a whole, to another page. */
  readonly isLink?: boolean;
}

/** A heading with its words, folded, a space between two. */
interface WordedHeading extends Heading {
  readonly words: string;
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
  const first = sources.headings.slice(0, MAX_HEADINGS);
  // The site's name leads to its front page, above the page's own title.
  const hasOwn = first.some(({ level, isLink }) => level === 1 && !isLink);
  const sites = hasOwn ? first.filter(({ level, isLink }) => level === 1 && isLink) : [];
  const isSite = siteTest(sources, sites);
  const headings = first.flatMap(({ level, text: written }) => {
    const text = clean(written);
    const words = foldedWords(text);
    return text === '' || isSite(words) ? [] : [{ level, text, words }];
  });
  return (
    headingNamed(stated, headings) ??
    headingResembling(stated, headings) ??
    withoutSite(stated[0], isSite) ??
    headings.find(({ level }) => level === 1)?.text
  );
}

/** A heading that is a part of a stated title, or the whole of it. */
function headingNamed(stated: readonly string[], headings: readonly WordedHeading[]): string | undefined {
  for (const title of stated) {
    const parts = partsOf(title).map(foldedWords);
    const first = parts
      .filter((part) => part !== '')
      .map((part) => headings.find(({ words }) => words === part))
      .find((heading) => heading !== undefined);
    if (first && !(parts.length > 1 && first.words === parts.at(-1))) return first.text;
    const before = first && beforeSite(parts, headings, first);
    if (before) return before;
    const inTitle = ` ${foldedWords(title)} `;
    const contained = headings
      .filter(({ level, text }) => level === 1 && text !== first?.text)
      .find(({ words }, i) => (i === 0 || words.split(' ').length > 2) && inTitle.includes(` ${words} `));
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
  headings: readonly WordedHeading[],
  site: WordedHeading,
): string | undefined {
  const before = parts.at(-2)!;
  if (before === '') return undefined;
  const own = headings.slice(headings.indexOf(site) + 1).find(({ words }) => words !== site.words);
  return own && ` ${own.words} `.includes(` ${before} `) ? own.text : undefined;
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

function withoutSite(title: string | undefined, isSite: (words: string) => boolean): string | undefined {
  if (title === undefined) return undefined;
  const parts = title.split(SEPARATOR);
  // Every second one is a separator.
  if (parts.length >= 3 && isSite(foldedWords(parts.at(-1)!))) return parts.slice(0, -2).join('').trim();
  if (parts.length >= 3 && isSite(foldedWords(parts[0]!))) return parts.slice(2).join('').trim();
  return title;
}

/**
 * Returns a function that says whether folded words are the name of the site: `og:site_name`, what the host's name says, or one
 * of `headings`.
 */
function siteTest(
  { siteName, host }: TitleSources,
  headings: readonly Heading[],
): (words: string) => boolean {
  const labels = host.toLowerCase().split('.').slice(0, -1);
  const names = new Set([
    ...labels.filter((label) => label.length >= 3).map((label) => label.replaceAll('-', '')),
    wordsOf(host.replace(/^www\./, '')).join(''),
    ...(siteName === undefined ? [] : [wordsOf(siteName).join('')]),
    ...headings.map(({ text }) => wordsOf(clean(text)).join('')),
  ]);
  return (words) => words !== '' && names.has(words.replaceAll(' ', ''));
}

/** In folded text: between spaces, or a bar; before the name of a site in brackets, as DokuWiki writes it. */
const SEPARATOR = /( [-\u2013\u2014\u00b7\u00bb\u2022:] | ?\| ?| (?=\[[^[\]]{1,80}\]$))/;

const partsOf = (title: string): string[] =>
  title.split(SEPARATOR).filter((part, i) => i % 2 === 0 && part.trim() !== '');

const foldedWords = (text: string): string => wordsOf(text).join(' ');

const wordsOf = (text: string): string[] =>
  // Most titles are ASCII.
  (/[^\0-\x7f]/.test(text)
    ? text
        .normalize('NFKC')
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
    : text.toLowerCase().match(/[a-z\d]+/g)) ?? [];

/** Removes marks of permanent links and trailing ornaments. Some sites encode character references twice. */
const clean = (text: string): string =>
  fold(withoutUnseen(decoded(text.slice(0, MAX_CHARS)))).replace(/[\s\u00b6\u22c6#|]{1,20}$/u, '');

const decoded = (text: string): string => (text.includes('&') ? decodeHTML(text) : text);
