/**
 * RFC 4180, section 2: CRLF, quotes around fields with a comma, quote or line break, quotes within them
 * doubled. A text that a spreadsheet would take for a formula, which may run programs and send the other cells away, has an
 * apostrophe before it (https://owasp.org/www-community/attacks/CSV_Injection).
 */
export function csvLine(values: readonly (string | number | boolean | undefined)[]): string {
  const fields = values.map((value) => {
    const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${fields.join(',')}\r\n`;
}

/** The full-width forms count where such characters are written. A number is none, even if it is a text (`-5`). */
const FORMULA = /^\ufeff?(?![+-]?[\d.,]{1,30}(?:e[+-]?\d{1,3})?%?$)[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;
