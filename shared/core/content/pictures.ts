/** Pictures: their positions and texts, and which of the pictures outside of blocks belong to the main content. */
import { srcsetReferences } from '../parser/srcset.ts';
import { type Figure, isFigure, type PageRuns, type Picture, type TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';

/** Where scripts look for a picture that is shown when it comes into sight. */
const LAZY = ['data-src', 'data-lazy-src', 'data-original'];
const MAX_STEPS = 8;
/** A figure with more words is a section of the page. */
const MAX_FIGURE_WORDS = 300;

/** `alt`: undefined for a picture of which nothing is said: it says nothing in a text. */
export function pictureOf(img: ContentElement): { readonly alt?: string; readonly reference?: string } {
  const { attributes, parent } = img;
  const text = (attributes.alt ?? '').replace(/\s+/g, ' ').trim();
  const alt = text === '' && !hasCaption(figureAround(img)) ? undefined : text;
  const lazy = LAZY.map((name) => attributes[name]).find((value) => value !== undefined && isAddress(value));
  const sources = parent?.name === 'picture' ? parent.children : [];
  const reference =
    lazy ??
    fromSet(attributes['data-srcset']) ??
    (isAddress(attributes.src) ? attributes.src : undefined) ??
    fromSet(attributes.srcset) ??
    sources
      .map((source) => (typeof source === 'object' ? source.attributes : {}))
      .map((source) => fromSet(source.srcset ?? source['data-srcset']))
      .find((found) => found !== undefined);
  return { ...(alt !== undefined && { alt }), ...(reference !== undefined && { reference }) };
}

const isAddress = (value: string | undefined): value is string =>
  value !== undefined && value.trim() !== '' && !/^\s*(?:data|about|blob|javascript):|[{}]/i.test(value);

/** The last one: most pages list the largest there. */
function fromSet(srcset: string | undefined): string | undefined {
  let last: string | undefined;
  if (srcset !== undefined)
    srcsetReferences(srcset, (reference) => {
      if (isAddress(reference)) last = reference;
    });
  return last;
}

function figureAround(element: ContentElement): ContentElement | undefined {
  let up: ContentElement | undefined = element;
  for (let step = 0; up && step < MAX_STEPS; up = up.parent, step++) if (isFigure(up)) return up;
  return undefined;
}

const hasCaption = (figure: ContentElement | undefined): boolean =>
  figure?.children.some(
    (child) =>
      typeof child === 'object' &&
      (child.name === 'figcaption' || /caption/.test(child.attributes.class ?? '')),
  ) === true;

interface WithPictures {
  readonly blocks: readonly TextBlock[];
  readonly pictures: readonly Picture[];
}

/**
 * Adds to the chosen blocks the elements between or beside them that are not blocks: pictures, and the captions and
 * small tables of figures. `asideElements`: 1 for each element outside of the content.
 */
export function withPictures(
  chosen: readonly TextBlock[],
  { blocks, pictures, figures }: PageRuns,
  asideElements: Uint8Array,
): WithPictures {
  if (chosen.length === 0 || (pictures.length === 0 && figures.length === 0))
    return { blocks: chosen, pictures: [] };
  const isChosen = new Set(chosen);
  const added = new Set(chosen);
  const kept = new Set<Figure>();
  for (const figure of figures) {
    const own = blocks.slice(figure.from, figure.to);
    if (own.reduce((sum, block) => sum + block.words, 0) > MAX_FIGURE_WORDS) continue;
    if (!own.some((block) => isChosen.has(block)) && !stands(figure.from, figure.to, figure.element))
      continue;
    kept.add(figure);
    for (const block of own) added.add(block);
  }
  return {
    blocks: added.size === isChosen.size ? chosen : blocks.filter((block) => added.has(block)),
    pictures: pictures.filter(({ element, place, figure }) =>
      figure === undefined
        ? asideElements[element.index] === 0 && stands(place, place, element)
        : kept.has(figure),
    ),
  };

  /**
   * Whether the position `blocks[from..to)` is between two chosen blocks, or beside one and in the element around that.
   */
  function stands(from: number, to: number, element: ContentElement): boolean {
    const [before, after] = [blocks[from - 1], blocks[to]];
    const isAfter = before !== undefined && isChosen.has(before);
    const isBefore = after !== undefined && isChosen.has(after);
    if (isAfter && isBefore) return true;
    return (isAfter && isBeside(before, element)) || (isBefore && isBeside(after, element));
  }
}

/** Whether the element stands within the one that holds the block, a few levels deeper at most. */
function isBeside({ element: { parent } }: TextBlock, element: ContentElement): boolean {
  let up: ContentElement | undefined = element;
  for (let step = 0; up && step < MAX_STEPS; up = up.parent, step++) if (up === parent) return true;
  return false;
}
