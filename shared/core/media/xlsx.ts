/** Workbooks: SpreadsheetML (ECMA-376, part 1, section 18). */
import { MAX_COLUMNS } from './block-collector.ts';
import type { MediaContent, MediaInput } from './media-module.ts';
import { type OfficePackage, openOfficePackage } from './office-package.ts';
import { createReferences, type References } from './references.ts';
import { durationText, isoDate, type TimeFormat, timeFormats } from './spreadsheet-dates.ts';
import { createTextWriter, type Run, type TextWriter } from './text-writer.ts';
import { readXml } from './xml-events.ts';

const MAIN = 'xl/workbook.xml';
const MAX_SHEETS = 1000;
const MAX_STRINGS = 1_000_000;
/** Rows that are written as one table. */
const TABLE_ROWS = 10_000;

interface Sheet {
  readonly name: string;
  readonly part: string;
}

interface Workbook {
  readonly strings: readonly string[];
  /** By the index of a cell's style. */
  readonly times: readonly (TimeFormat | undefined)[];
  readonly has1904Dates: boolean;
}

export function readXlsx({ bytes, url }: MediaInput): MediaContent {
  const office = openOfficePackage(bytes);
  const main = office.mainPart(MAIN);
  const writer = createTextWriter();
  const references = createReferences(url);
  const { sheets, has1904Dates } = sheetsOf(office, main);
  const workbook = { ...sharedParts(office, main), has1904Dates };
  for (const sheet of sheets) {
    if (writer.isFull) break;
    writer.heading(2, [{ text: sheet.name }]);
    readSheet(office, sheet.part, workbook, { writer, references });
  }
  return {
    ...writer.end(),
    metadata: { ...office.metadata(), pages: sheets.length },
    links: references.all(),
  };
}

function sheetsOf(office: OfficePackage, main: string) {
  const relationships = office.relationshipsOf(main);
  const sheets: Sheet[] = [];
  let has1904Dates = false;
  readXml(office.part(main) ?? new Uint8Array(), {
    start(name, attribute) {
      if (name === 'workbookPr') has1904Dates = /^(?:1|true)$/.test(attribute('date1904') ?? '');
      if (name !== 'sheet' || sheets.length >= MAX_SHEETS) return;
      const { type, target } = relationships.get(attribute('r:id') ?? '') ?? {};
      if (target !== undefined && type === 'worksheet')
        sheets.push({ name: attribute('name') ?? '', part: target });
    },
  });
  return { sheets, has1904Dates };
}

function sharedParts(office: OfficePackage, main: string): Pick<Workbook, 'strings' | 'times'> {
  const parts = [...office.relationshipsOf(main).values()];
  const partOf = (wanted: string) => {
    const found = parts.find(({ type }) => type === wanted);
    return found && office.part(found.target);
  };
  const styles = partOf('styles');
  return {
    strings: sharedStrings(partOf('sharedStrings')),
    times: styles === undefined ? [] : timeFormats(styles),
  };
}

/** Texts of cells (section 18.4.8), without the hints of how they are pronounced. */
function sharedStrings(bytes: Uint8Array | undefined): string[] {
  const strings: string[] = [];
  let text = '';
  if (bytes === undefined) return strings;
  readXml(bytes, {
    start(name) {
      if (name === 'si') text = '';
    },
    text(piece, parents) {
      if (parents.at(-1) === 't' && !parents.includes('rPh')) text += piece;
    },
    end(name) {
      if (name === 'si' && strings.length < MAX_STRINGS) strings.push(unescaped(text));
    },
  });
  return strings;
}

/** Links come after the cells, so a cell's text does not lead anywhere in the Markdown unless its formula says so. */
function readSheet(
  office: OfficePackage,
  part: string,
  workbook: Workbook,
  { writer, references }: { readonly writer: TextWriter; readonly references: References },
): void {
  const bytes = office.part(part);
  if (bytes === undefined) return;
  const relationships = office.relationshipsOf(part);
  let rows: Run[][][] = [];
  let row: Run[][] = [];
  let cell = { column: 0, type: '', style: 0, value: '', formula: '' };

  const flush = () => {
    writer.table(rows);
    rows = [];
  };
  readXml(bytes, {
    start(name, attribute) {
      if (name === 'row') row = [];
      else if (name === 'c') {
        const column = columnOf(attribute('r')) ?? row.length;
        const style = Number(attribute('s')) || 0;
        cell = { column, type: attribute('t') ?? 'n', style, value: '', formula: '' };
      } else if (name === 'hyperlink') {
        const { target, isExternal } = relationships.get(attribute('r:id') ?? '') ?? {};
        if (target !== undefined && isExternal) references.add(target);
      }
    },
    text(text, parents) {
      const parent = parents.at(-1);
      if (parent === 'v' || (parent === 't' && parents.includes('is'))) cell.value += text;
      else if (parent === 'f' && cell.formula.length < MAX_FORMULA_CHARS) cell.formula += text;
    },
    end(name) {
      if (name === 'c') {
        const target = /^HYPERLINK\("([^"]{1,4000})"/i.exec(cell.formula)?.[1];
        const href = target === undefined ? undefined : references.add(target);
        if (cell.value === '' || cell.column >= MAX_COLUMNS || writer.isFull) return;
        while (row.length < cell.column) row.push([]);
        row[cell.column] = [{ text: shownValue(cell, workbook), href }];
      } else if (name === 'row' && row.length > 0) {
        rows.push(row);
        if (rows.length >= TABLE_ROWS) flush();
      }
    },
  });
  flush();
}

const MAX_FORMULA_CHARS = 8192;

function shownValue(
  { type, style, value }: { readonly type: string; readonly style: number; readonly value: string },
  { strings, times, has1904Dates }: Workbook,
): string {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n') return unescaped(value);
  if (times[style] === 'duration') return durationText(Number(value)) ?? value;
  if (times[style] === 'date') return isoDate(Number(value), has1904Dates) ?? value;
  return value;
}

/** Characters that XML has none for are `_x000B_`, and such a text itself is `_x005F_x000B_` (section 22.4.2.4). */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text
        .replace(/_x([\da-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes them
        .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' ')
        .toWellFormed()
    : text;

/** The index of a column: `AB12` is 27. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  let index = 0;
  for (const letter of letters) index = index * 26 + letter.charCodeAt(0) - 64;
  return index - 1;
}
