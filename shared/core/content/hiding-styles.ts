/** Declarations of style that hide an element, and the simple selectors of a page's own style sheets that have them. */

/** Further characters of a page's style sheets are not read. */
const MAX_STYLES = 300_000;
const MAX_DECLARATIONS = 4000;

/** Whether the declarations hide an element: its place, its size, its colour. */
export function hidesByStyle(style: string): boolean {
  const values = declarationsOf(style);
  const value = (name: string): string => values.get(name) ?? '';
  if (HIDDEN.some(([name, pattern]) => values.has(name) && pattern.test(value(name)))) return true;
  if (/^(?:absolute|fixed)$/.test(value('position')) && SIDES.some((side) => FAR.test(value(side))))
    return true;
  const isClosed = /^(?:hidden|clip)$/.test(value('overflow'));
  if (
    isClosed &&
    SIZES.some((size) => /^[01]?(?:\.\d{1,9})?(?:px|em|rem)?$/.test(value(size)) && values.has(size))
  )
    return true;
  const colour = value('color');
  return colour !== '' && (colour === value('background') || colour === value('background-color'));
}

const HIDDEN: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['display', /^none$/],
  ['visibility', /^(?:hidden|collapse)$/],
  ['content-visibility', /^hidden$/],
  ['opacity', /^0?(?:\.0{1,9}\d{0,9})?%?$/],
  ['font-size', /^(?:0?(?:\.\d{1,9})?|1)(?:px|pt|em|rem|%)?$/],
  ['color', /^transparent$|^rgba\(.{1,60}[,/] ?0(?:\.0{1,9})?%?\)$/],
  ['clip', /^rect\((?:0|1)/],
  ['clip-path', /^(?:inset\((?:50|100)%|circle\(0)/],
  ['text-indent', /^-\d{3,9}/],
  ['transform', /scale\(0[,)]|translate[xy]?\(-\d{3,9}/],
  ['filter', /opacity\(0%?\)/],
];
const SIDES = ['left', 'right', 'top', 'bottom'];
const SIZES = ['width', 'height', 'max-height', 'max-width'];
/** Hundreds of pixels beyond the edge. */
const FAR = /^-\d{3,9}(?:\.\d{1,9})?(?:px|em|rem|vw|vh|%)?$/;

/** If a property is given twice, the last value counts. */
function declarationsOf(style: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const declaration of style.slice(0, MAX_DECLARATIONS).toLowerCase().split(';')) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const value = declaration
      .slice(colon + 1)
      .replace('!important', '')
      .trim();
    if (value !== '') values.set(declaration.slice(0, colon).trim(), value);
  }
  return values;
}

/** A class or an id, perhaps of one kind of element. */
const SIMPLE = /^[a-z\d]{0,30}[.#][\w-]{1,200}$/i;
/** Rules for other media than a screen of any size. */
const OTHER_MEDIA = /^@(?!media (?:all|screen)$|layer|supports)/i;

/** Selectors of one class or id by which the `style` elements of a page hide something; the last rule for one counts. */
export function hidingSelectors(html: string): ReadonlySet<string> {
  const hiding = new Set<string>();
  for (const sheet of stylesOf(html)) {
    /** The at-rules around the place, and whether each holds on a screen. */
    const around: boolean[] = [];
    let prelude = '';
    const pieces = sheet.split(/([{}])/);
    for (let i = 0; i < pieces.length; i += 2) {
      const text = pieces[i] ?? '';
      if (pieces[i + 1] === '{') {
        prelude = text.slice(text.lastIndexOf(';') + 1).trim();
        if (prelude.startsWith('@')) around.push(!OTHER_MEDIA.test(prelude));
        continue;
      }
      if (prelude === '' || prelude.startsWith('@')) around.pop();
      else if (around.every(Boolean)) note(hiding, prelude, text);
      prelude = '';
    }
  }
  return hiding;
}

function note(hiding: Set<string>, prelude: string, declarations: string): void {
  const hides = hidesByStyle(declarations);
  const isShown = /\b(?:display|visibility)\s{0,3}:/.test(declarations);
  for (const selector of prelude.split(',').map((one) => one.trim())) {
    if (!SIMPLE.test(selector)) continue;
    if (hides) hiding.add(selector);
    else if (isShown) hiding.delete(selector);
  }
}

/** The texts of the page's `style` elements, without comments. */
function stylesOf(html: string): string[] {
  const sheets: string[] = [];
  const lower = html.toLowerCase();
  let left = MAX_STYLES;
  for (let at = lower.indexOf('<style'); at >= 0 && left > 0; at = lower.indexOf('<style', at)) {
    const from = lower.indexOf('>', at);
    if (from < 0) break;
    const end = lower.indexOf('</style', from);
    const sheet = html.slice(from + 1, Math.min(end < 0 ? html.length : end, from + 1 + left));
    left -= sheet.length;
    sheets.push(withoutComments(sheet));
    if (end < 0) break;
    at = end;
  }
  return sheets;
}

function withoutComments(css: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < css.length; ) {
    const begin = css.indexOf('/*', at);
    pieces.push(css.slice(at, begin < 0 ? css.length : begin));
    const end = begin < 0 ? -1 : css.indexOf('*/', begin + 2);
    at = end < 0 ? css.length : end + 2;
  }
  return pieces.join('');
}
