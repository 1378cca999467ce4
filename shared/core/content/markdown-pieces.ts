/** Joins the pieces of a line so that each mark keeps its meaning beside its neighbours (CommonMark 0.31, section 6.2). */

/** Markdown as it is; or a text in a mark: emphasis, code (its text as it is), or a formula with its signs. */
export type Piece = string | { readonly mark: string; readonly text: string };

const TAGS: Readonly<Record<string, string>> = { '**': 'strong', '*': 'em', '~~': 'del' };

export function joinPieces(pieces: readonly Piece[]): string {
  const [only] = pieces;
  if (pieces.length < 2 && typeof only !== 'object') return only ?? '';
  const joined = merged(pieces);
  const written: string[] = [];
  let before = '';
  for (let i = 0; i < joined.length; i++) {
    const piece = joined[i]!;
    let text = typeof piece === 'string' ? piece : markedText(piece, before, startOf(joined[i + 1]));
    // A cut must not make an image of a link, or a price of a formula's end.
    if (before === '!' && text.startsWith('[')) written.push(written.pop()!.replace(/!$/, '\\!'));
    const last = joined[i - 1];
    if (typeof last === 'object' && last.mark === '$' && /^\d/.test(text)) text = ` ${text}`;
    written.push(text);
    before = lastOf(text);
  }
  return written.join('');
}

/** Without empty pieces; neighbours with the same mark are one, unless marks within them would meet. */
function merged(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (piece === '') continue;
    if (
      typeof piece === 'object' &&
      typeof last === 'object' &&
      piece.mark === last.mark &&
      piece.mark !== '$' &&
      (piece.mark === '`' || !(/[*~`$]$/.test(last.text) || /^[*~`[]/.test(piece.text)))
    )
      found[found.length - 1] = { mark: piece.mark, text: last.text + piece.text };
    else found.push(piece);
  }
  return found;
}

const startOf = (piece: Piece | undefined): string =>
  piece === undefined ? '' : typeof piece === 'string' ? firstOf(piece) : piece.mark[0]!;

/** Whole characters: half of an emoji does not count as a symbol. */
const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0)!);
const lastOf = (text: string): string => {
  const last = text.length - 1;
  return (text.codePointAt(last - 1) ?? 0) > 0xffff ? text.slice(last - 1) : text[last]!;
};

function markedText({ mark, text }: Exclude<Piece, string>, before: string, after: string): string {
  if (mark === '`') return codeSpan(text);
  if (mark === '$') return text;
  const isSafe =
    before !== mark[0] &&
    after !== mark[0] &&
    !isTangled(mark, text) &&
    isFlanking(before, firstOf(text)) &&
    isFlanking(after, lastOf(text));
  const tag = TAGS[mark];
  return isSafe ? `${mark}${text}${mark}` : `<${tag}>${text}</${tag}>`;
}

/** Whether the mark would stand beside one of several within it: readers could pair them in another way. */
const isTangled = (mark: string, text: string): boolean =>
  mark !== '~~' && /^\*|[^\\]\*$/.test(text) && (text.match(/(?<!\\)\*+/g)?.length ?? 0) > 2;

/** Whether a mark between the two is one: `inner` is the first or the last character within it. */
const isFlanking = (outer: string, inner: string): boolean =>
  outer === '' || /[\s\p{P}\p{S}]/u.test(outer) || !/[\p{P}\p{S}]/u.test(inner);

/** With more backticks around than are in it (CommonMark, "Code spans"). Blanks at its ends stand beside it. */
export function codeSpan(text: string): string {
  const folded = text.replace(/\s+/g, ' ');
  const code = folded.trim();
  if (code === '') return folded;
  const fence = '`'.repeat(longestBackticks(code) + 1);
  const pad = /^`|`$/.test(code) ? ' ' : '';
  const before = folded.startsWith(' ') ? ' ' : '';
  const after = folded.endsWith(' ') ? ' ' : '';
  return `${before}${fence}${pad}${code}${pad}${fence}${after}`;
}

/** How many backticks stand in a row at most. */
export function longestBackticks(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
