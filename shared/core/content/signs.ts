/**
 * Evidence about an element from its class names, ids, roles and properties, by the words that authors use
 * everywhere.
 */
import type { ContentElement } from './content-element.ts';

const WORDS = {
  navigation:
    'nav navbar navigation menu submenu megamenu topnav subnav breadcrumb breadcrumbs crumbs pagination pager paging toc skip skiplink sitemap tab tabs tabbar dropdown drawer offcanvas hamburger jump languages lang',
  footer: 'footer foot bottom colophon copyright legal disclaimer',
  header: 'header head masthead topbar toolbar banner top announcement',
  aside:
    'sidebar aside rail side related recommended recommendation recommendations recommend similar trending popular recent latest next previous prev recirc teaser teasers widget widgets promo promos promotion upsell crosssell suggested youmay more',
  advert: 'ad ads advert advertisement advertising adsense adslot sponsor sponsored dfp outbrain taboola gpt',
  social:
    'social share sharing sharebar shares follow facebook twitter linkedin pinterest whatsapp like likes vote votes rating',
  meta: 'meta byline author authors bio date time timestamp posted published tag tags category categories badge credit credits info details caption breadcrumb avatar user profile',
  comment: 'comment comments respond reply replies disqus discussion commentlist',
  overlay:
    'cookie cookies consent gdpr privacy modal popup popover overlay dialog lightbox notice alert toast tooltip onetrust notification',
  form: 'form login signin signup register registration subscribe subscription newsletter search searchbox cta email contact input field filter filters facet facets sort toggle button btn buttons',
  content:
    'content article main body entry post story text copy prose rich richtext rte markdown wysiwyg articlebody postbody maincontent pagecontent editor editorial page read',
  description: 'description desc summary excerpt intro lead subtitle abstract overview about bio tagline',
  product:
    'product pdp price prices sku specification specifications specs spec features feature variant buy cart basket shop stock',
  forum: 'thread topic question answer answers message messages posts postcontent bbp forum quote signature',
  list: 'list grid card cards item items tile tiles row rows results result listing listings collection carousel slider slide swiper gallery accordion faq faqs',
  title: 'title heading headline hero name h1',
  hidden: 'hidden hide invisible sr visually offscreen screenreader visuallyhidden srt noprint collapsed',
} as const;

export type Sign = keyof typeof WORDS;
export const SIGNS = Object.keys(WORDS) as Sign[];

const BITS: ReadonlyMap<string, number> = new Map(
  SIGNS.flatMap((sign, i) => WORDS[sign].split(' ').map((word) => [word, 1 << i] as const)),
);

const MAX_CHARS = 400;
const WORD = /[A-Z]?[a-z]+|[A-Z]+/g;

/**
 * A bit for each of {@link SIGNS}: what the element's own names say. `known`: the same names are often repeated in a page.
 */
export function signsOf({ attributes }: ContentElement, known: Map<string, number>): number {
  const { class: classes = '', id = '', role = '', itemprop = '' } = attributes;
  const length = classes.length + id.length + role.length + itemprop.length;
  if (length === 0) return 0;
  if (length + 3 > MAX_CHARS)
    return signsIn(`${classes} ${id} ${role} ${itemprop}`.slice(0, MAX_CHARS), known);
  return signsIn(classes, known) | signsIn(id, known) | signsIn(role, known) | signsIn(itemprop, known);
}

function signsIn(text: string, known: Map<string, number>): number {
  if (text === '') return 0;
  const before = known.get(text);
  if (before !== undefined) return before;
  let bits = 0;
  for (const word of text.match(WORD) ?? []) bits |= BITS.get(word.toLowerCase()) ?? 0;
  known.set(text, bits);
  return bits;
}
