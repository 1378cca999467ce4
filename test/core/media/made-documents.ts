/** Small documents made for tests: zip archives, the office documents in them, and PDF. */
import { crc32, deflateRawSync } from 'node:zlib';

export type ZipFiles = Readonly<Record<string, string | Uint8Array>>;

export interface ZipOptions {
  /** Stored without compression. */
  readonly isStored?: boolean;
  /** General purpose flags of each file: 1 is encryption. */
  readonly flags?: number;
  readonly method?: number;
  /** Sizes and offsets in the fields of Zip64. */
  readonly isZip64?: boolean;
}

export function makeZip(files: ZipFiles, options: ZipOptions = {}): Buffer {
  const { isStored = false, flags = 0, method = isStored ? 0 : 8, isZip64 = false } = options;
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text);
    const packed = isStored ? content : deflateRawSync(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc32(content), 16);
    const extra = isZip64 ? Buffer.alloc(28) : Buffer.alloc(0);
    if (isZip64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      extra.writeBigUInt64LE(BigInt(content.length), 4);
      extra.writeBigUInt64LE(BigInt(packed.length), 12);
      extra.writeBigUInt64LE(BigInt(offset), 20);
    }
    entry.writeUInt32LE(isZip64 ? 0xffffffff : packed.length, 20);
    entry.writeUInt32LE(isZip64 ? 0xffffffff : content.length, 24);
    entry.writeUInt32LE(isZip64 ? 0xffffffff : offset, 42);
    const bytes = Buffer.from(name);
    for (const head of [local, entry]) head.writeUInt16LE(bytes.length, head === local ? 26 : 28);
    entry.writeUInt16LE(extra.length, 30);
    locals.push(local, bytes, packed);
    central.push(entry, bytes, extra);
    offset += local.length + bytes.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const count = Object.keys(files).length;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(isZip64 ? 0xffffffff : offset, 16);
  return Buffer.concat([
    ...locals,
    directory,
    ...(isZip64 ? [end64(count, offset, directory.length)] : []),
    end,
  ]);
}

function end64(count: number, offset: number, length: number): Buffer {
  const end = Buffer.alloc(56);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + length), 8);
  return Buffer.concat([end, locator]);
}

const relationship = (id: string, type: string, target: string, isExternal = false) =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"${isExternal ? ' TargetMode="External"' : ''}/>`;
export const relationships = (...all: readonly Parameters<typeof relationship>[]): string =>
  `<Relationships>${all.map((one) => relationship(...one)).join('')}</Relationships>`;

export const CORE = `<?xml version="1.0"?><cp:coreProperties><dc:title>The title</dc:title><dc:creator>Ada</dc:creator>
  <dcterms:created>2026-01-02T03:04:05Z</dcterms:created><dc:language>de</dc:language></cp:coreProperties>`;

/** `body`: the content of `w:body`. */
export const makeDocx = (body: string, more: ZipFiles = {}): Buffer =>
  makeZip({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>`,
    'docProps/core.xml': CORE,
    ...more,
  });

export const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

export interface PdfPageSpec {
  /** Operators of the page; `text` makes those of some lines. */
  readonly content: string;
  /** Where a link of the whole page leads. */
  readonly link?: string;
}

/** Lines of 12 points, 20 below one another; the first one in `size`. */
export const pdfText = (lines: readonly string[], size = 12): string =>
  `BT /F1 ${size} Tf 50 700 Td ${lines
    .map((line, i) => `${i > 0 ? '/F1 12 Tf 0 -20 Td ' : ''}(${line.replace(/[\\()]/g, '\\$&')}) Tj`)
    .join(' ')} ET`;

export function makePdf(pages: readonly PdfPageSpec[], info = ''): Buffer {
  const first = 4;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, i) => `${first + 3 * i} 0 R`).join(' ')}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  for (const [i, { content, link }] of pages.entries()) {
    const at = first + 3 * i;
    const annotations = link === undefined ? '' : `/Annots[${at + 2} 0 R]`;
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents ${at + 1} 0 R/Resources<</Font<</F1 3 0 R>>>>${annotations}>>`,
      `<</Length ${content.length}>>stream\n${content}\nendstream`,
      `<</Type/Annot/Subtype/Link/Rect[0 0 600 800]/A<</S/URI/URI(${link ?? ''})>>>>`,
    );
  }
  objects.push(`<<${info}>>`);
  return pdfOf(objects);
}

/** The last object is the document's information. */
export function pdfOf(objects: readonly string[]): Buffer {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const offset = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const start = text.length;
  const size = objects.length + 1;
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer<</Size ${size}/Root 1 0 R/Info ${objects.length} 0 R>>\nstartxref\n${start}\n%%EOF`,
    'latin1',
  );
}

/** A PDF of 3 kB whose page draws a form that draws a form 10 times, and so on, 10 forms deep: its text never ends. */
export function endlessPdf(): Buffer {
  const LEVELS = 10;
  const font = '<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>';
  const form = (level: number) => {
    const isLast = level === LEVELS;
    const content = isLast ? 'BT /F1 9 Tf (x) Tj ET' : '/F Do '.repeat(10);
    const resources = isLast ? font : `<</XObject<</F ${6 + level} 0 R>>>>`;
    return `<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources${resources}/Length ${content.length}>>stream\n${content}\nendstream`;
  };
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>',
    '<</Length 5>>stream\n/F Do\nendstream',
    ...Array.from({ length: LEVELS + 1 }, (_, level) => form(level)),
  ]);
}
