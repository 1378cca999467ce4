/** Tables of the documentation that are made of the program's own lists. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The first table after a heading, whose first row begins so. */
const tableAfter = (text: string, heading: string, begin: string): string => {
  const section = text.indexOf(`\n${heading}\n`);
  const at = section < 0 ? -1 : text.indexOf(`\n${begin}`, section);
  if (at < 0) throw new Error(`Expected a table that begins with "${begin}" below "${heading}"`);
  return text
    .slice(at + 1)
    .split('\n\n')[0]!
    .trimEnd();
};

/**
 * Expects that table of a document, relative to the root. With `STRAND_GOLDEN=write`, writes it instead.
 */
export function expectTable(
  path: string,
  heading: string,
  [names, ...rows]: readonly (readonly string[])[],
): void {
  const file = join(ROOT, path);
  const text = readFileSync(file, 'utf8');
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const head = line(names!);
  const table = [head, `|${'---|'.repeat(names!.length)}`, ...rows.map(line)].join('\n');
  const found = tableAfter(text, heading, head);
  if (process.env.STRAND_GOLDEN === 'write')
    writeFileSync(
      file,
      text.replace(found, () => table),
    );
  else expect(found).toBe(table);
}
