/**
 * RFC 4180, section 2: CRLF, quotes around fields with a comma, quote or line break, quotes within them
 * doubled.
 */
export function csvLine(values: readonly (string | number | boolean | undefined)[]): string {
  const fields = values.map((value) => {
    const text = String(value ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${fields.join(',')}\r\n`;
}
