/**
 * The formulas of a page, as its authors wrote them: MathML, KaTeX, MathJax 2 and 3, MediaWiki, pictures of formulas. What repeats
 * one for screen readers or for the eye is left out.
 */
import type { ContentElement, Formula } from './content-element.ts';
import { writeMathml } from './mathml.ts';

/** Classes that a formula or an element around it may have. */
export const FORMULA_CLASS = /math|katex|(?:^|[\s_-])(?:la)?tex(?=$|[\s_-])|formula(?:Inl|Dsp)/i;
/** Classes of the elements that show a formula and hold its MathML. */
const OWNER = /(?:^|\s)(?:katex|katex-display|mwe-math-element|MathJax\w*)(?=$|\s)/;
const MAX_STEPS = 8;
const MAX_CHARS = 10_000;

/**
 * Sets `whole` of elements that are formulas. `candidates`: `math`, `script` of TeX and elements of {@link FORMULA_CLASS}, in
 * document order. Linear.
 */
export function findFormulas(candidates: readonly ContentElement[]): void {
  let lastMath: ContentElement | undefined;
  /** Behind the last script of each parent. */
  const places = new Map<ContentElement, number>();
  for (const element of candidates) {
    if (element.whole !== undefined) continue;
    if (element.name === 'math') {
      // A formula in a formula is a part of the outer one.
      if (lastMath && isWithin(element, lastMath)) continue;
      lastMath = element;
      mathmlFormula(element);
    } else if (element.name === 'script') scriptFormula(element, places);
    else if (element.name === 'img')
      set(element, bare(element.attributes.alt ?? ''), isDisplayClass(element));
    else delimitedFormula(element);
  }
}

function isWithin(element: ContentElement, outer: ContentElement): boolean {
  let up = element.parent;
  while (up && up.index > outer.index) up = up.parent;
  return up === outer;
}

function mathmlFormula(math: ContentElement): void {
  let owner = math;
  let isDisplay = math.attributes.display === 'block' || math.attributes.mode === 'display';
  for (let up = math.parent, step = 0; up && step < MAX_STEPS; up = up.parent, step++) {
    const { name, attributes } = up;
    if (!name.startsWith('mjx-') && !OWNER.test(attributes.class ?? '')) continue;
    owner = up;
    isDisplay ||= /display/i.test(attributes.class ?? '') || attributes.display === 'true';
  }
  if (owner.whole !== undefined) return;
  const written = writeMathml(math);
  const tex = annotationIn(math) ?? bare(math.attributes.alttext ?? '');
  if (tex === '' || tex.length > MAX_CHARS) owner.whole = { ...trimmed(written), isDisplay };
  else owner.whole = { tex, text: tex, isDisplay };
}

const trimmed = ({ tex, text }: { readonly tex: string; readonly text: string }) => ({
  tex: oneLine(tex),
  text: oneLine(text),
});

function annotationIn(math: ContentElement): string | undefined {
  const semantics = math.children.find((child) => typeof child === 'object' && child.name === 'semantics');
  if (typeof semantics !== 'object') return undefined;
  for (const child of semantics.children) {
    if (typeof child !== 'object' || child.name !== 'annotation') continue;
    if (/(?:^|[/-])(?:x-)?(?:la)?tex$/i.test(child.attributes.encoding ?? '')) return bare(stringsOf(child));
  }
  return undefined;
}

/** MathJax 2: the source is a script, and its rendering or preview is in front of it. */
function scriptFormula(script: ContentElement, places: Map<ContentElement, number>): void {
  set(script, bare(stringsOf(script)), /mode\s*=\s*display/i.test(script.attributes.type ?? ''));
  const { parent } = script;
  const siblings = parent!.children;
  let place = siblings.indexOf(script, places.get(parent!)) - 1;
  places.set(parent!, place + 2);
  for (let step = 0; step < MAX_STEPS && place >= 0; step++, place--) {
    const twin = siblings[place]!;
    if (typeof twin === 'string' ? twin.trim() === '' : /MathJax/.test(twin.attributes.class ?? '')) {
      if (typeof twin !== 'string') twin.isUnseen = true;
    } else break;
  }
}

/** `\(x\)`, `\[x\]`, `$x$` or `$$x$$` for a script to show; pandoc leaves the signs out for KaTeX. */
function delimitedFormula(element: ContentElement): void {
  const { children, attributes } = element;
  const given = attributes['data-tex'] ?? attributes['data-latex'] ?? attributes['data-math'] ?? '';
  if (!element.hasBlocks && TEX.test(given)) {
    set(element, bare(given), isDisplayClass(element) || !element.isInline);
    return;
  }
  const inner = children.filter((child) => typeof child === 'object');
  if (inner.length > 1 || (inner[0] && !/eqno/.test(inner[0].attributes.class ?? ''))) return;
  const source = stringsOf(element).trim();
  if (source.length > MAX_CHARS) return;
  const tex = bare(source);
  const isMarked = /(?:^|\s)math (?:inline|display)(?:\s|$)/.test(attributes.class ?? '');
  if (tex !== source || isMarked)
    set(element, tex, /^(?:\\\[|\$\$)/.test(source) || isDisplayClass(element) || !element.isInline);
}

/** Other attributes of these names hold numbers, or say how a formula is shown. */
const TEX = /[\\^_{=]/;

const isDisplayClass = ({ attributes }: ContentElement): boolean =>
  /display|formulaDsp|-block/i.test(attributes.class ?? '');

function set(element: ContentElement, tex: string, isDisplay: boolean): void {
  if (tex !== '' && tex.length <= MAX_CHARS) element.whole = { tex, text: tex, isDisplay } satisfies Formula;
}

const stringsOf = ({ children }: ContentElement): string =>
  children.filter((child) => typeof child === 'string').join('');

const DELIMITED = [
  /^\\\((.*)\\\)$/,
  /^\\\[(.*)\\\]$/,
  /^\$\$(.*)\$\$$/,
  /^\$(.*)\$$/,
  /^\{\\(?:display|text)style\s(.*)\}$/,
];

/** The source on one line, without delimiters and comments. */
function bare(source: string): string {
  let tex = oneLine(source.slice(0, MAX_CHARS + 1).replace(/(^|[^\\])%[^\n]*(?:\n|$)/g, '$1 '));
  for (const pattern of DELIMITED) tex = pattern.exec(tex)?.[1]?.trim() ?? tex;
  return tex;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * The formula in Markdown, `$` or `$$` around it, as GitHub and pandoc read it; undefined if it holds a `$`. Readers
 * without formulas must find no HTML, link or code in it.
 */
export function formulaMarkdown({ tex, isDisplay }: Formula): string | undefined {
  if (tex === '' || tex.includes('$')) return undefined;
  const safe = tex
    .replaceAll('<', '\\lt ')
    .replaceAll('>', '\\gt ')
    .replaceAll('\\|', '\\Vert ')
    .replaceAll('`', '\u2018')
    .replaceAll('](', '] (')
    .replace(/ {2,}/g, ' ')
    .trim();
  return isDisplay ? `$$${safe}$$` : `$${safe}$`;
}
