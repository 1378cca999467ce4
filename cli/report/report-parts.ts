/** The parts of a report's page. */
import { printable, shorten } from '../../shared/core/text/printable.ts';
import { type Html, html } from './html.ts';

/** Words from the web, without what a terminal or a page could take for something else. */
export const text = (words: string, length = 70): string => shorten(printable(words), length);

export const bar = (part: number, whole: number): Html =>
  html`<span class="bar"><i style="width:${whole > 0 ? ((100 * part) / whole).toFixed(1) : 0}%"></i></span>`;

/** Columns of words are to the left, the others to the right. */
export function table(
  title: string,
  heads: readonly string[],
  rows: readonly (readonly (string | Html)[])[],
  words: readonly number[] = [0],
): Html | undefined {
  if (rows.length === 0) return undefined;
  const classOf = (i: number) => (words.includes(i) ? 'words' : 'number');
  const head = heads.map((name, i) => html`<th class="${classOf(i)}">${name}</th>`);
  const body = rows.map(
    (row) => html`<tr>${row.map((cell, i) => html`<td class="${classOf(i)}">${cell}</td>`)}</tr>\n`,
  );
  const isWide = heads.length > 4 || words.length > 1;
  return html`<section class="${isWide ? 'wide' : ''}"><h2>${title}</h2><div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div></section>\n`;
}
