/** The element that authors and generators mark as the main content of a page. */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { isLong } from './element-facts.ts';

/** A generator that names itself in the page. */
interface Generator {
  readonly name: RegExp;
  /** Classes and ids of its main content. On a page without them, `main` is that. */
  readonly main?: RegExp;
  /** It makes documentation, and all that it marks as main content is that. */
  readonly isWhole?: true;
}

const GENERATORS: readonly Generator[] = [
  { name: /^Doxygen\b/i, main: /^(?:headertitle|contents|textblock)$/, isWhole: true },
  { name: /^MediaWiki\b/i, main: /^(?:firstHeading|mw-content-text)$/ },
  // Its name and title stand in its header.
  { name: /^AsciiDoc\s/i, main: /^(?:header|content)$/, isWhole: true },
  { name: /^odoc\b/i, main: /^(?:odoc-preamble|(?:odoc-)?content)$/, isWhole: true },
  // `main` of some themes has more than the article.
  { name: /^(?:Docutils|Sphinx)\b/i, main: /^bd-article$/, isWhole: true },
  { name: /^TypeDoc\b/i, main: /^col-content$/, isWhole: true },
  { name: /^JSDoc\b/i, main: /^main$/, isWhole: true },
  { name: /^YARD\b/i, main: /^content$/, isWhole: true },
  { name: /^(?:ExDoc|Dokka|Scaladoc)\b/i, main: /^content$/, isWhole: true },
  {
    name: /^pydoctor\b/i,
    main: /^(?:page-header|categoryHeader|(?:extras|module)Docstring|split-?tables|child-?list)$/i,
    isWhole: true,
  },
  {
    name: /^(?:javadoc|rustdoc|pdoc|RDoc|mdBook|mkdocs|Asciidoctor|Antora|DocFX|Docusaurus|VitePress|Starlight)\b/i,
    isWhole: true,
  },
];
const named = (text: string): Generator | undefined => GENERATORS.find(({ name }) => name.test(text));
/** The scripts in the head or at the end of each page of generators that name themselves in the texts of some themes alone, or in a picture. */
const SCRIPT = /(?:^|\/)(?:documentation_options|scaladoc-scalajs)\.js(?:\?|$)/;
/** The text by which a generator names itself in the foot of a page, among its last blocks. */
const IN_FOOT = /(?:\b|(?<=\p{Ll}))generated (?:by|using|with) (?:the )?/iu;
const FOOT_BLOCKS = 8;
const MAX_FOOT_CHARS = 300;
/** Elements at the end of a page among which its scripts are looked for. */
const LAST_ELEMENTS = 40;
/** A marked element with fewer words outside of links is not all of the content. */
const MIN_WORDS = 20;

export interface MarkedMain {
  /** For each element, 1 within the main content. */
  readonly within: Uint8Array;
  /** All in it is main content, other than what is marked as no part of it. */
  readonly isWhole: boolean;
}

/** The elements that are marked as the main content. */
export interface MainMarks {
  readonly roots: ReadonlySet<ContentElement>;
  /** A generator names them. */
  readonly areNamed: boolean;
  readonly isWhole: boolean;
}

/** The elements that a known generator marks, otherwise all `main` elements. */
export function mainMarks(elements: readonly ContentElement[], blocks: readonly TextBlock[]): MainMarks {
  const generator = generatorOf(elements) ?? generatorInFoot(blocks);
  const { main } = generator ?? {};
  const isWhole = generator?.isWhole === true;
  const marked = main ? elements.filter((element) => isNamed(element, main)) : [];
  if (marked.length > 0) return { roots: new Set(marked), areNamed: true, isWhole };
  return { roots: new Set(innermost(elements.filter(isMain))), areNamed: false, isWhole };
}

/**
 * The main content: what a generator marks, otherwise the only `main` element. Undefined if
 * there is none, or if the sentences beside it have more words than its text. Linear.
 */
export function markedMain(
  elements: readonly ContentElement[],
  blocks: readonly TextBlock[],
  aside: Uint8Array,
  { roots, areNamed, isWhole }: MainMarks,
): MarkedMain | undefined {
  if (roots.size === 0) return undefined;
  const within = new Uint8Array(elements.length);
  let mains = 0;
  for (let i = 1; i < elements.length; i++) {
    const element = elements[i]!;
    within[i] = within[element.parent!.index]!;
    if (within[i] === 1 && isWhole && isFoot(element)) within[i] = 0;
    if (within[i] === 1 || !roots.has(element)) continue;
    within[i] = 1;
    mains++;
  }
  if (mains > 1 && !areNamed) return undefined;
  let inside = 0;
  let outside = 0;
  for (const [i, block] of blocks.entries()) {
    if (within[block.element.index] === 1) inside += block.words - block.linkWords;
    else if (aside[i] === 0 && isLong(block)) outside += block.words;
  }
  const least = isWhole || areNamed ? 1 : MIN_WORDS;
  return inside >= Math.max(least, areNamed ? 0 : outside) ? { within, isWhole } : undefined;
}

/** The last one alone, if it is within all others: a generator's within a theme's. */
function innermost(mains: readonly ContentElement[]): readonly ContentElement[] {
  const last = mains.at(-1);
  let around = 0;
  for (let up = last?.parent; up && mains.length > 1; up = up.parent) if (isMain(up)) around++;
  return last && around === mains.length - 1 ? [last] : mains;
}

const isMain = ({ name, attributes }: ContentElement): boolean =>
  name === 'main' || attributes.role === 'main';

function isNamed({ attributes: { class: classes, id } }: ContentElement, mark: RegExp): boolean {
  return (classes !== undefined && mark.test(classes)) || (id !== undefined && mark.test(id));
}

function generatorOf(elements: readonly ContentElement[]): Generator | undefined {
  for (const { name, attributes } of elements) {
    if (name === 'body') break;
    const found =
      name === 'meta' && attributes.name?.toLowerCase() === 'generator'
        ? named(attributes.content ?? '')
        : byScript(name, attributes);
    if (found) return found;
  }
  for (const { name, attributes } of elements.slice(-LAST_ELEMENTS)) {
    const found = byScript(name, attributes);
    if (found) return found;
  }
  return undefined;
}

function byScript(name: string, { src }: ContentElement['attributes']): Generator | undefined {
  const script = name === 'script' && src !== undefined ? SCRIPT.exec(src)?.[0] : undefined;
  return script === undefined ? undefined : named(script.includes('scaladoc') ? 'Scaladoc' : 'Sphinx');
}

/** "Edit this page", "Last updated", links to neighbours. That of a quotation names its author. */
const isFoot = ({ name, parent }: ContentElement): boolean =>
  name === 'footer' && parent!.name !== 'blockquote' && parent!.name !== 'figure';

function generatorInFoot(blocks: readonly TextBlock[]): Generator | undefined {
  for (const { text } of blocks.slice(-FOOT_BLOCKS)) {
    if (text.length > MAX_FOOT_CHARS) continue;
    const by = IN_FOOT.exec(text);
    const found = by ? named(text.slice(by.index + by[0].length)) : undefined;
    if (found) return found;
  }
  return undefined;
}
