/**
 * The kind of a page, by what it declares (JSON-LD, Open Graph), the path of its URL, and the shape of its content: multinomial
 * logistic regression. `bench/content/train-kind.ts` chooses the weights.
 */
import { lazy } from '../base/lazy.ts';
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import type { PageMetadata } from './metadata.ts';
import { onceEach } from './once-each.ts';
import { isPrice } from './product-price.ts';

/** `listing`: links to pages of one kind, such as search results; also collections of products. */
export const PAGE_KINDS = ['article', 'documentation', 'forum', 'product', 'listing', 'service'] as const;
export type PageKind = (typeof PAGE_KINDS)[number];

/** Types of schema.org and of Open Graph. */
const TYPES: readonly RegExp[] = [
  /\b(?:News|Blog|Report|Scholarly)?(?:Article|BlogPosting)\b|\barticle\b/,
  /\b(?:TechArticle|APIReference|HowTo|SoftwareSourceCode)\b/,
  /\b(?:DiscussionForumPosting|QAPage|Question|Comment)\b/,
  /\bProduct(?:Group)?\b|\bproduct(?:\.item)?\b|\bBook\b/,
  /\b(?:CollectionPage|ItemList|SearchResultsPage|OfferCatalog|Blog)\b/,
  /\b(?:Service|LocalBusiness|ProfessionalService|Organization|FAQPage)\b/,
  /\bwebsite\b/,
];
/** Parts of a URL's path. */
const PATHS: readonly RegExp[] = [
  /\/(?:blog|news|articles?|posts?|story|stories|opinion|magazine)(?:\/|$)|\/20\d\d\//,
  /\/(?:docs?|documentation|manual|reference|guides?|tutorials?|api|help|wiki|man|learn|kb)(?:[./]|$)/,
  /\/(?:forums?|threads?|t|topics?|questions?|discussions?|community|comments|r|viewtopic|showthread)(?:[./]|$)/,
  /\/(?:products?|p|dp|item|shop|itm|buy)(?:\/|$)/,
  /\/(?:category|categories|collections?|tags?|search|c|browse|archive|list)(?:\/|$)/,
  /\/(?:services?|solutions?|about|pricing|platform|features|industries)(?:\/|$)/,
  /^\/?$/,
];
const HOSTS: readonly RegExp[] = [
  /^(?:docs?|developers?|api|help|support|learn|man|wiki|kb)\.|(?:readthedocs|gitbook)\./,
  /^(?:forums?|community|discuss|ask|boards?)\.|stackexchange|stackoverflow/,
  /^(?:shop|store)\./,
  /^(?:blog|news)\./,
];
const BUY =
  /^(?:add to (?:cart|bag|basket)|buy now|in den warenkorb|ajouter au panier|añadir al carrito|out of stock)$/i;

/** A page, read. `blocks`: of the whole page; `main`: those of its main content. */
export interface PageShape {
  readonly url: string;
  readonly metadata: PageMetadata;
  readonly elements: readonly ContentElement[];
  readonly blocks: readonly TextBlock[];
  readonly main: readonly TextBlock[];
}

/** Words in classes and ids. */
const SIGNS: readonly RegExp[] = [
  /\b(?:comment|reply|replies|post-?body|message|answer|thread)/i,
  /\b(?:product|cart|price|sku)/i,
  /\b(?:sphinx|docusaurus|mdbook|hljs|highlight|prism|toc|sidebar-?nav|docs?-)/i,
  /\b(?:testimonial|hero|cta|pricing|feature)/i,
  /\b(?:pagination|pager|facet|filter|grid|results?)\b/i,
];
/** Few names have any. */
// linear: alternatives of literals, none of which repeats anything
const ANY_SIGN = new RegExp(SIGNS.map(({ source }) => source).join('|'), 'i');
const MAX_NAME_CHARS = 400;

/** The number of elements with each of the signs. */
function countSigns(elements: readonly ContentElement[]): number[] {
  const counts = SIGNS.map(() => 0);
  const signBits = onceEach(signBitsIn);
  for (let i = 0; i < elements.length; i++) {
    const { class: classes = '', id = '' } = elements[i]!.attributes;
    if (classes === '' && id === '') continue;
    for (let bits = signBits(classes) | signBits(id), sign = 0; bits !== 0; bits >>= 1, sign++)
      if (bits & 1) counts[sign]!++;
  }
  return counts;
}

/** A bit for each of the signs. */
function signBitsIn(name: string): number {
  const start = name.slice(0, MAX_NAME_CHARS);
  if (!ANY_SIGN.test(start)) return 0;
  return SIGNS.reduce((all, sign, i) => (sign.test(start) ? all | (1 << i) : all), 0);
}

/** Groups of elements that are counted together. */
const TAGS = ['pre', 'code kbd samp', 'article', 'form textarea', 'img picture', 'table', 'h2', 'h3 h4'];
const TAG_AT: ReadonlyMap<string, number> = new Map(
  TAGS.flatMap((group, i) => group.split(' ').map((name) => [name, i] as const)),
);

/** The number of elements in each of the groups. */
function countTags(elements: readonly ContentElement[]): number[] {
  const counts = TAGS.map(() => 0);
  for (let i = 0; i < elements.length; i++) {
    const at = TAG_AT.get(elements[i]!.name);
    if (at !== undefined) counts[at]!++;
  }
  return counts;
}

const SUBHEADINGS: ReadonlySet<string> = new Set(['h2', 'h3', 'h4', 'h5', 'h6']);

/** Sums and counts of blocks. */
function sumsOf(blocks: readonly TextBlock[]) {
  const sums = { words: 0, linkWords: 0, long: 0, longWords: 0, short: 0, subheadings: 0, items: 0 };
  for (let i = 0; i < blocks.length; i++) {
    const { words, linkWords, element } = blocks[i]!;
    sums.words += words;
    sums.linkWords += linkWords;
    if (words >= 40) {
      sums.long++;
      sums.longWords += words;
    }
    if (words <= 6) sums.short++;
    if (SUBHEADINGS.has(element.name)) sums.subheadings++;
    else if (element.name === 'li') sums.items++;
  }
  return sums;
}

const log = (count: number): number => Math.log1p(count) / 5;

/** Numbers from 0 to about 1, the first one always 1. */
export function kindFeatures({ url, metadata, elements, blocks, main }: PageShape): number[] {
  const types = metadata.types.join(' ');
  const { hostname = '', pathname = '' } = URL.parse(url) ?? {};
  const path = pathname.toLowerCase();
  const counts = countTags(elements);
  const ofMain = sumsOf(main);
  const ofAll = sumsOf(blocks);
  const words = Math.max(1, ofMain.words);
  const all = Math.max(1, ofAll.words);
  const short = ofMain.short / Math.max(1, main.length);
  const prices = blocks.filter(isPrice).length;
  const signs = countSigns(elements);
  const bit = (isSo: boolean): number => (isSo ? 1 : 0);
  return [
    1,
    ...TYPES.map((pattern) => bit(pattern.test(types))),
    ...PATHS.map((pattern) => bit(pattern.test(path))),
    ...HOSTS.map((pattern) => bit(pattern.test(hostname))),
    bit(metadata.published !== undefined),
    bit(metadata.author !== undefined),
    log(words),
    words / all,
    ofMain.linkWords / words,
    ofAll.linkWords / all,
    log(ofMain.long),
    ofMain.longWords / words,
    short,
    log(prices),
    bit(prices === 1 || prices === 2),
    bit(blocks.some(({ text }) => text.length < 30 && BUY.test(text))),
    ...counts.map(log),
    log(ofMain.subheadings),
    log(ofMain.items),
    ...signs.map(log),
  ];
}

/** Hundredths, in the order of {@link kindFeatures}. */
const WEIGHTS: Readonly<Record<PageKind, string>> = {
  article:
    '-33 106 -4 1 -73 -12 -9 8 133 -63 -83 -34 -29 -43 -63 -38 -49 -26 14 21 118 37 51 -64 -45 68 90 -83 -1 -4 -27 -20 -55 35 -17 0 18 76 -3 -20 71 -77 -23 21 4 1',
  documentation:
    '18 34 9 -15 -35 -5 -58 -50 -51 159 -43 -20 -23 -18 -32 108 -16 -9 -10 -34 -51 32 17 -7 24 27 -22 -22 -50 -21 -8 70 148 -15 -20 -98 -1 4 -33 31 28 -69 1 132 -84 -11',
  forum:
    '-19 -90 0 54 -25 -2 -4 16 -4 -17 214 -17 -26 -8 -22 -7 115 -7 -8 39 15 3 3 -21 -38 25 64 -56 -22 0 -6 -5 -9 20 25 -23 -10 -78 -16 -75 -23 198 -58 -30 -45 -40',
  product:
    '45 -34 0 -16 181 -46 -22 5 -25 -17 19 160 -31 -23 -20 -7 -12 22 -8 -4 -7 -79 -88 -61 8 -56 -42 87 37 -6 132 -6 -11 47 42 92 20 38 11 13 -33 3 61 -71 18 -21',
  listing:
    '54 -27 -1 -38 -44 68 10 -1 9 5 -27 -61 144 -48 3 -25 -13 42 26 -7 -7 -8 29 202 68 -56 -49 42 82 -41 -43 -28 -32 -1 19 48 -26 -59 -1 11 -70 -3 109 -17 3 58',
  service:
    '73 11 -3 15 -5 -2 82 22 -63 -68 -80 -29 -36 141 135 -31 -25 -21 -13 -15 -67 15 -13 -49 -17 -8 -41 33 -46 73 -48 -11 -41 -86 -49 -18 -1 18 43 39 26 -53 -90 -34 104 13',
};

const weights = lazy(() => PAGE_KINDS.map((kind) => WEIGHTS[kind].split(' ').map(Number)));

/** Returns the most probable kind of the page. It is right for four of five pages, of sites that the weights do not know. */
export function pageKind(shape: PageShape): PageKind {
  const features = kindFeatures(shape);
  const scores = weights().map((row) => row.reduce((sum, weight, i) => sum + weight * features[i]!, 0));
  return PAGE_KINDS[scores.indexOf(Math.max(...scores))]!;
}
