/** OpenDocument: texts, spreadsheets and presentations (OASIS OpenDocument 1.3, part 3). */
import type { PageMetadata } from '../content/metadata.ts';
import { BlockCollector } from './block-collector.ts';
import { type MediaContent, type MediaInput, UnreadableDocument } from './media-module.ts';
import { MAX_PROPERTY_CHARS, openOfficeZip, propertiesOf } from './office-package.ts';
import { createReferences, type References } from './references.ts';
import { createTextWriter, type TextWriter } from './text-writer.ts';
import { type Attributes, readXml, type XmlEvents } from './xml-events.ts';
import type { ZipArchive } from './zip.ts';

/** Text that was deleted or is not shown, comments, and names for programs. */
const UNREAD: ReadonlySet<string> = new Set([
  'tracked-changes',
  'annotation',
  'forms',
  'scripts',
  'font-face-decls',
  'automatic-styles',
  // Below a cell that spans others: programs keep the text, and show none.
  'covered-table-cell',
  // How a text is pronounced, numbers of notes, other texts of pictures.
  'ruby-text',
  'note-citation',
  'svg:title',
  'svg:desc',
  'binary-data',
  'hidden-text',
]);
const MAX_SPACES = 100;

export function readOdf({ bytes, url }: MediaInput): MediaContent {
  const zip = openOfficeZip(bytes);
  refuseEncrypted(zip);
  const content = zip.read('content.xml');
  if (content === undefined) throw new UnreadableDocument('it has no document in it');
  const writer = createTextWriter();
  const references = createReferences(url);
  const isSpreadsheet = /spreadsheet/.test(textIn(zip, 'mimetype'));
  const { events, pages } = contentEvents({ writer, references, isSpreadsheet });
  readXml(content, events);
  return { ...writer.end(), metadata: withPages(readMeta(zip), pages()), links: references.all() };
}

interface ContentOptions {
  readonly writer: TextWriter;
  readonly references: References;
  readonly isSpreadsheet: boolean;
}

/** `pages`: how many slides or sheets there were; 0 for a text. */
function contentEvents({ writer, references, isSpreadsheet }: ContentOptions) {
  const blocks = new BlockCollector(writer);
  const links: (string | undefined)[] = [];
  let repeatedRow = 1;
  let repeated = 1;
  let listDepth = 0;
  let pages = 0;
  let unread = 0;

  const add = (text: string) => {
    if (unread === 0) blocks.add(text, links.at(-1));
  };
  const openTable = (attribute: Attributes) => {
    // Elsewhere the names of tables are not seen.
    if (blocks.isOutside && isSpreadsheet) {
      pages++;
      writer.heading(2, [{ text: attribute('table:name') ?? '' }]);
    }
    blocks.openTable();
  };
  const close = () => {
    if (blocks.paragraph && listDepth > 0) blocks.paragraph.listDepth = listDepth - 1;
    blocks.closeParagraph();
  };
  const events: XmlEvents = {
    start(name, attribute) {
      if (name === 'covered-table-cell' && unread === 0) blocks.skipColumns(timesOf(attribute, 'columns'));
      if (UNREAD.has(name)) unread++;
      if (unread > 0) return;
      if (name === 'h') blocks.openParagraph(Number(attribute('text:outline-level')) || 1);
      else if (name === 'p') blocks.openParagraph();
      else if (name === 'a') links.push(references.add(attribute('xlink:href') ?? ''));
      else if (name === 'tab') add('\t');
      else if (name === 'line-break') add('\n');
      else if (name === 's') add(' '.repeat(Math.min(MAX_SPACES, Number(attribute('text:c')) || 1)));
      else if (name === 'list') listDepth++;
      else if (name === 'page') pages++;
      else if (name === 'table') openTable(attribute);
      else if (name === 'table-row') {
        repeatedRow = timesOf(attribute, 'rows');
        blocks.openRow();
      } else if (name === 'table-cell') {
        repeated = timesOf(attribute, 'columns');
        blocks.openCell();
      }
    },
    text(text, parents) {
      // Also of fields, of which there are some forty.
      if (parents.includes('p') || parents.includes('h')) add(text);
    },
    end(name) {
      if (UNREAD.has(name)) unread--;
      else if (unread > 0) return;
      else if (name === 'p' || name === 'h') close();
      else if (name === 'a') links.pop();
      else if (name === 'list') listDepth--;
      else if (name === 'table-cell') {
        blocks.repeatCell(repeated);
        repeated = 1;
      } else if (name === 'table-row') {
        blocks.repeatRow(repeatedRow);
        repeatedRow = 1;
      } else if (name === 'table') blocks.closeTable();
    },
  };
  return { events, pages: () => pages };
}

const timesOf = (attribute: Attributes, what: 'columns' | 'rows'): number =>
  Number(attribute(`table:number-${what}-repeated`)) || 1;

const textIn = (zip: ZipArchive, name: string): string =>
  Buffer.from(zip.read(name) ?? []).toString('latin1');

/** Encrypted files stand in the archive under their names (part 2, section 3.4). */
function refuseEncrypted(zip: ZipArchive): void {
  if (/<(?:\w+:)?encryption-data\b/.test(textIn(zip, 'META-INF/manifest.xml')))
    throw new UnreadableDocument('it is encrypted');
}

function readMeta(zip: ZipArchive): PageMetadata {
  const texts = new Map<string, string>();
  let pages: string | undefined;
  readXml(zip.read('meta.xml') ?? new Uint8Array(), {
    start(name, attribute) {
      if (name === 'document-statistic') pages = attribute('meta:page-count');
    },
    text(text, parents) {
      const name = parents.at(-1);
      if (parents.length === 3 && name !== undefined && texts.size < 100)
        texts.set(name, ((texts.get(name) ?? '') + text).slice(0, MAX_PROPERTY_CHARS));
    },
  });
  return propertiesOf(
    (name) => texts.get(name === 'creator' && !texts.has(name) ? 'initial-creator' : name),
    {
      pages,
      created: texts.get('creation-date'),
      modified: texts.get('date'),
    },
  );
}

const withPages = (metadata: PageMetadata, pages: number): PageMetadata =>
  pages > 0 ? { ...metadata, pages } : metadata;
