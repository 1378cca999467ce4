/**
 * Pages of React (Next.js, React Router and others) that were sent while they were made: what came late is in hidden
 * elements at the end, and a script moves each to its place, over what said "Loading" there.
 *
 * `<!--$?--><template id="B:0"></template>Loading<!--/$-->` is a place, `<div hidden id="S:0">` the part for it, and
 * `$RC("B:0","S:0")` moves it; `$RS("S:1","P:1")` moves a piece within a part (react-dom, ReactFizzConfigDOM).
 */

interface Part {
  /** Where its hidden element begins and ends in the page. */
  start: number;
  end: number;
  /** Without that element. */
  content: string;
}

/** Whether a hidden element with that id is such a part. */
export const isStreamedPart = (id: string): boolean => /^S:[0-9a-f]{1,8}$/.test(id);

/**
 * Returns the page with each part in its place, as readers see it. A part without a place stays where it is, and so does
 * what stands at a place without a part. Linear in the page's length.
 */
export function placeStreamedParts(html: string): string {
  if (!html.includes(' hidden') || !html.includes(' id="S:')) return html;
  const parts = findParts(html);
  const places = new Set<string>();
  for (const [, place = ''] of html.matchAll(PLACE)) places.add(place);
  const partAt = new Map<string, Part>();
  for (const [, first = '', second = ''] of html.matchAll(MOVE)) {
    const [place, id] = second.startsWith('S:') ? [first, second] : [second, first];
    const part = parts.get(id);
    if (part && places.has(place)) partAt.set(place, part);
  }
  return partAt.size === 0 ? html : new Filler(html, partAt).fill();
}

const MOVE = /\$R[CRS]\("([BS]:[0-9a-f]{1,8})","([PS]:[0-9a-f]{1,8})"/g;

/** Ends at the last closing tag before what React writes behind a part. */
function findParts(html: string): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  let open: { id: string; start: number; from: number; close: string } | undefined;
  for (const match of html.matchAll(PART_OR_BEHIND)) {
    if (open) {
      const until = html.slice(open.from, match.index);
      const length = until.lastIndexOf(open.close);
      const end = open.from + length + open.close.length;
      if (length !== -1 && !parts.has(open.id))
        parts.set(open.id, { start: open.start, end, content: until.slice(0, length) });
    }
    const [tag, element, ofElement, inner, ofInner] = match;
    const id = ofElement ?? ofInner;
    const close = inner === undefined ? `</${element}>` : `</${inner}></${element}>`;
    open = id === undefined ? undefined : { id, start: match.index, from: match.index + tag.length, close };
  }
  return parts;
}

/** The begin of a part, by its element's name and its id; or a script or an end that is behind one. */
const PART_OR_BEHIND =
  /<(div|table) hidden(?: id="(S:[0-9a-f]{1,8})">|><(tbody|tr|colgroup) id="(S:[0-9a-f]{1,8})">)|<script[^<>]{0,200}>(?:\$R[A-Z]|\(?self\.__next_f)|<\/body/g;

const PLACE = /<template id="([BP]:[0-9a-f]{1,8})"><\/template>/g;
/** Where a part of a page that may come late begins and ends; they nest. */
const BOUNDARY = /<!--(\/?)[$&][?!~]?-->/g;
/** Parts within parts are filled in until here. */
const MAX_NESTING = 100;

/** Puts the parts into a page. Each is used once; those whose place was within what is left out are put at its end. */
class Filler {
  private readonly html: string;
  private readonly partAt: ReadonlyMap<string, Part>;
  private readonly used = new Set<Part>();

  constructor(html: string, partAt: ReadonlyMap<string, Part>) {
    this.html = html;
    this.partAt = partAt;
  }

  fill(): string {
    const parts = [...new Set(this.partAt.values())].sort((a, b) => a.start - b.start);
    const rest: string[] = [];
    let from = 0;
    for (const part of parts) {
      rest.push(this.html.slice(from, part.start));
      from = part.end;
    }
    rest.push(this.html.slice(from));
    const filled = this.fillText(rest.join(''), 0);
    const left = parts.filter((part) => !this.used.has(part));
    return filled + left.map((part) => this.html.slice(part.start, part.end)).join('');
  }

  private fillText(text: string, depth: number): string {
    const pieces: string[] = [];
    let from = 0;
    let hasOpenEnd = false;
    for (const { 0: template, 1: id = '', index } of text.matchAll(PLACE)) {
      const part = this.partAt.get(id);
      if (index < from || !part || this.used.has(part) || depth === MAX_NESTING) continue;
      this.used.add(part);
      pieces.push(text.slice(from, index), this.fillText(part.content, depth + 1));
      from = index + template.length;
      if (id.startsWith('B') && !hasOpenEnd) {
        const end = endOfBoundary(text, from);
        hasOpenEnd = end === undefined;
        from = end ?? from;
      }
    }
    pieces.push(text.slice(from));
    return pieces.join('');
  }
}

function endOfBoundary(text: string, from: number): number | undefined {
  let depth = 0;
  for (const { 1: slash, index } of text.slice(from).matchAll(BOUNDARY)) {
    if (slash === '') depth++;
    else if (depth === 0) return from + index;
    else depth--;
  }
  return undefined;
}
