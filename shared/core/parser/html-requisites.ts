/** Finds the requisites of an HTML document: images, styles, scripts, media, fonts. */
import { decodeAttribute } from './character-references.ts';
import { cssReferences } from './css-references.ts';
import type { RequisiteKind } from './link-set.ts';
import { srcsetReferences } from './srcset.ts';
import type { RawAttributes } from './tag-attributes.ts';

/** Elements whose start tags may name requisites. */
export const REQUISITE_ELEMENTS: readonly string[] = [
  'audio',
  'body',
  'embed',
  'img',
  'input',
  'link',
  'object',
  'picture',
  'script',
  'source',
  'table',
  'tbody',
  'td',
  'tfoot',
  'th',
  'thead',
  'tr',
  'track',
  'video',
];

/** Reports the references in tags and styles, in order. */
export function createRequisites(add: (reference: string, kind: RequisiteKind) => void) {
  /** The last `picture`, `video` or `audio` was a picture: what `source` belongs to. */
  let isPicture = false;

  const take = (raw: string | undefined, kind: RequisiteKind) => {
    // An empty reference makes no request; a fragment alone is the document itself.
    if (raw === undefined || /^[\t\n\f\r ]*(?:#|$)/.test(raw)) return;
    add(decodeAttribute(raw), kind);
  };
  const takeSet = (raw: string | undefined) => {
    if (raw !== undefined) srcsetReferences(decodeAttribute(raw), (reference) => take(reference, 'img'));
  };
  const takeLazy = (attributes: RawAttributes) => {
    for (const name of LAZY_SOURCES) {
      const raw = attributes.get(name);
      // Other elements keep data for scripts in attributes of these names.
      if (raw !== undefined && !/[\s{<]/.test(raw.trim())) take(raw, 'img');
    }
    for (const name of LAZY_SETS) takeSet(attributes.get(name));
  };
  const link = (attributes: RawAttributes) => {
    const kind = kindOfLink(attributes);
    if (kind === undefined) return;
    take(attributes.get('href'), kind);
    takeSet(attributes.get('imagesrcset'));
  };

  const styledTag = (attributes: RawAttributes) => {
    const style = attributes.get('style');
    if (style !== undefined) cssReferences(decodeAttribute(style), add);
  };

  return {
    startTag(name: string, attributes: RawAttributes): void {
      switch (name) {
        case 'img':
          take(attributes.get('src'), 'img');
          takeSet(attributes.get('srcset'));
          takeLazy(attributes);
          break;
        case 'picture':
          isPicture = true;
          break;
        case 'source':
          take(attributes.get('src'), isPicture ? 'img' : 'media');
          takeSet(attributes.get('srcset'));
          takeLazy(attributes);
          break;
        case 'link':
          link(attributes);
          break;
        case 'script':
          take(attributes.get('src'), 'script');
          break;
        case 'video':
        case 'audio':
          isPicture = false;
          take(attributes.get('poster'), 'img');
          take(attributes.get('src'), 'media');
          break;
        case 'embed':
        case 'track':
          take(attributes.get('src'), 'media');
          break;
        case 'object':
          take(attributes.get('data'), 'media');
          break;
        case 'input':
          if (attributes.get('type')?.toLowerCase() === 'image') take(attributes.get('src'), 'img');
          break;
        case 'a':
        case 'area':
        case 'frame':
        case 'iframe':
          break;
        default:
          take(attributes.get('background'), 'img');
      }
      styledTag(attributes);
    },

    /** A tag inside SVG. `xlink:href` is the older name. */
    foreignTag(name: string, attributes: RawAttributes): void {
      const kind = FOREIGN.get(name);
      if (kind !== undefined) take(attributes.get('href') ?? attributes.get('xlink:href'), kind);
      styledTag(attributes);
    },

    styledTag,

    style(text: string): void {
      cssReferences(text, add);
    },
  };
}

/** Attributes from which scripts take an image once it comes into view (lazysizes, jQuery Lazy Load, WP Rocket). */
export const LAZY_SOURCES: readonly string[] = ['data-src', 'data-lazy-src', 'data-original'];
export const LAZY_SETS: readonly string[] = ['data-srcset', 'data-lazy-srcset'];

const FOREIGN: ReadonlyMap<string, RequisiteKind> = new Map([
  ['image', 'img'],
  ['feimage', 'img'],
  ['use', 'img'],
  ['script', 'script'],
]);

/** HTML standard, section 4.6.7. Undefined for links that belong to no requisite. */
function kindOfLink(attributes: RawAttributes): RequisiteKind | undefined {
  const rel = attributes.get('rel');
  if (rel === undefined) return undefined;
  for (const token of rel.toLowerCase().split(/[\t\n\f\r ]+/)) {
    const kind = token === 'preload' ? PRELOADED.get(asOf(attributes)) : LINKED.get(token);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

const asOf = (attributes: RawAttributes) => attributes.get('as')?.toLowerCase().trim() ?? '';

const LINKED: ReadonlyMap<string, RequisiteKind> = new Map([
  ['stylesheet', 'style'],
  ['icon', 'img'],
  ['apple-touch-icon', 'img'],
  ['apple-touch-icon-precomposed', 'img'],
  ['mask-icon', 'img'],
  ['modulepreload', 'script'],
  ['manifest', 'media'],
]);

const PRELOADED: ReadonlyMap<string, RequisiteKind> = new Map([
  ['style', 'style'],
  ['script', 'script'],
  ['worker', 'script'],
  ['image', 'img'],
  ['font', 'font'],
  ['audio', 'media'],
  ['video', 'media'],
  ['track', 'media'],
  ['fetch', 'media'],
]);
