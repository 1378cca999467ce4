/** HTML made of text that may be hostile: what is in a template is escaped, unless it is HTML made here. */

/** Text that is HTML already. Made by {@link html} alone. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | undefined | readonly Html[];

/** A template whose values are text, escaped; HTML; lists of HTML; or nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.reduce((made, text, i) => made + (i > 0 ? partOf(parts[i - 1]) : '') + text, '') };
}

function partOf(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return 'html' in part ? part.html : part.map((one) => one.html).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Also safe in attributes with quotes. */
function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}
