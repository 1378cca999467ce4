/** PDF by pdf.js, as unpdf packs it. To be run in a thread of its own: pages may take seconds, and may hang. */
import { getDocumentProxy } from 'unpdf';
import { messageOf } from '../base/error-message.ts';
import type { PageMetadata } from '../content/metadata.ts';
import { PDF_TYPE } from '../parser/whole-types.ts';
import { type MediaContent, type MediaInput, type MediaModule, UnreadableDocument } from './media-module.ts';
import { bodyHeight, linesOf, type PdfLine, type PdfText, titleOf, writeLines } from './pdf-text.ts';
import { createReferences, type References } from './references.ts';
import { createTextWriter } from './text-writer.ts';

export interface PdfLimits {
  readonly pages: number;
  /** Whether there is time for another page. */
  readonly hasTime: () => boolean;
}

/** Pages whose letters show the usual height. */
const SAMPLE_PAGES = 10;

/** The parts of pdf.js that are used; its own types depend on a DOM. */
interface Pdf {
  readonly numPages: number;
  getPage(page: number): Promise<PdfPage>;
  getMetadata(): Promise<{ readonly info?: Readonly<Record<string, unknown>> }>;
  readonly loadingTask: { destroy(): Promise<void> };
}

interface PdfPage {
  getTextContent(): Promise<{ readonly items: readonly (Partial<PdfText> & object)[] }>;
  getAnnotations(): Promise<readonly PdfAnnotation[]>;
  cleanup(): void;
}

interface PdfAnnotation {
  readonly subtype?: string;
  readonly url?: string;
  readonly unsafeUrl?: string;
  /** Left, bottom, right, top. */
  readonly rect?: readonly number[];
}

/** Pages beyond the limits are not read, and `cut` says so. */
export function createPdfModule(limits: PdfLimits): MediaModule {
  return { mediaTypes: [PDF_TYPE], read: (input) => readPdf(input, limits) };
}

async function readPdf({ bytes, url }: MediaInput, limits: PdfLimits): Promise<MediaContent> {
  const pdf = await open(bytes, url);
  try {
    return await readPages(pdf, url, limits);
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function open(bytes: Uint8Array, url: string): Promise<Pdf> {
  // A copy: pdf.js takes the memory away.
  const data = new Uint8Array(bytes);
  const options = {
    docBaseUrl: url,
    isEvalSupported: false,
    useSystemFonts: false,
    useWorkerFetch: false,
    disableFontFace: true,
    verbosity: 0,
  };
  try {
    return (await getDocumentProxy(data, options)) as unknown as Pdf;
  } catch (cause) {
    const { name } = cause as Error;
    if (name === 'PasswordException')
      throw new UnreadableDocument('it is encrypted with a password', { cause });
    if (name === 'InvalidPDFException')
      throw new UnreadableDocument('it is no PDF, or is damaged', { cause });
    throw new UnreadableDocument(`its PDF is damaged: ${messageOf(cause).slice(0, 200)}`, { cause });
  }
}

interface PdfLink {
  readonly url: string;
  readonly rect: readonly number[];
}

async function readPages(
  pdf: Pdf,
  url: string,
  { pages: maxPages, hasTime }: PdfLimits,
): Promise<MediaContent> {
  const writer = createTextWriter();
  const references = createReferences(url);
  const waiting: (readonly PdfLine[])[] = [];
  let body: number | undefined;
  let title: string | undefined;
  let read = 0;
  let damaged = 0;

  const write = () => {
    if (body === undefined) {
      body = bodyHeight(waiting.flat());
      title = titleOf(waiting[0] ?? [], body);
    }
    for (const lines of waiting.splice(0)) {
      addWrittenUrls(lines, references);
      writeLines(lines, body, writer);
    }
  };
  while (read < Math.min(pdf.numPages, maxPages) && hasTime() && !writer.isFull) {
    const page = await readPage(pdf, ++read, references);
    if (page === undefined) damaged++;
    else waiting.push(page);
    if (read >= SAMPLE_PAGES) write();
  }
  write();
  if (damaged > 0 && damaged === read) throw new UnreadableDocument('none of its pages can be read');
  const lost = pdf.numPages - read + damaged;
  return {
    ...writer.end(),
    metadata: await metadataOf(pdf, title),
    links: references.all(),
    ...(lost > 0 && { cut: `${pdf.numPages - lost} of ${pdf.numPages} pages were read` }),
  };
}

/** Undefined for a page that is damaged: others may be whole. */
async function readPage(pdf: Pdf, number: number, references: References): Promise<PdfLine[] | undefined> {
  try {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const annotations = await page.getAnnotations();
    page.cleanup();
    const links = annotations.flatMap((annotation): PdfLink[] => {
      const reference = annotation.url ?? annotation.unsafeUrl;
      if (annotation.subtype !== 'Link' || typeof reference !== 'string') return [];
      const target = references.add(unwrapped(reference));
      return target === undefined ? [] : [{ url: target, rect: annotation.rect ?? [] }];
    });
    const texts = items.filter((item): item is PdfText => typeof item.str === 'string');
    return linesOf(texts, (item) => links.find((link) => isOn(item, link))?.url);
  } catch {
    return undefined;
  }
}

/** PassiveTeX wrote the references of style sheets: `url(https://example.org/)`. */
function unwrapped(reference: string): string {
  const at = reference.endsWith(')') ? reference.indexOf('url(') : -1;
  return at === -1 ? reference : decoded(reference.slice(at + 4, -1));
}

function decoded(reference: string): string {
  try {
    return decodeURI(reference);
  } catch {
    return reference;
  }
}

/** Whether half of the text or more is under the link. */
function isOn({ transform, width, height }: PdfText, { rect }: PdfLink): boolean {
  const [left = 0, bottom = 0, right = 0, top = 0] = rect;
  const [, , , , x = 0, y = 0] = transform;
  const middle = y + height / 3;
  if (middle < bottom || middle > top) return false;
  return Math.min(right, x + width) - Math.max(left, x) >= width / 2;
}

/** `https://example.org/a` in the text. Punctuation at the end of a sentence does not belong to it. */
const WRITTEN_URL = /https?:\/\/[^\s<>"'{}|\\^`\u2018-\u201d]{4,2000}/g;
const AFTER_URL: ReadonlySet<string> = new Set('.,;:!?)]');

/** A URL at the end of a line may continue on the next one, and is left out unless a bracket closes behind it. */
function addWrittenUrls(lines: readonly PdfLine[], references: References): void {
  for (const { text } of lines)
    for (const { 0: found, index } of text.matchAll(WRITTEN_URL)) {
      let end = found.length;
      while (AFTER_URL.has(found[end - 1]!)) end--;
      const isAtEnd = index + found.length === text.length;
      if (!isAtEnd || /[)\]]/.test(found.slice(end))) references.add(found.slice(0, end));
    }
}

async function metadataOf(pdf: Pdf, firstHeading: string | undefined): Promise<PageMetadata> {
  const { info = {} } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const fields = info as Readonly<Record<string, unknown>>;
  const text = (name: string) => {
    const value = fields[name];
    const folded = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim().slice(0, 2000) : '';
    return folded === '' ? undefined : folded;
  };
  const metadata = {
    title: text('Title') ?? firstHeading,
    description: text('Subject'),
    author: text('Author'),
    published: isoDateOf(text('CreationDate')),
    modified: isoDateOf(text('ModDate')),
    language: text('Language'),
  };
  const given = Object.entries(metadata).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), pages: pdf.numPages, types: [] };
}

/** `D:20240131120000+01'00'` (ISO 32000-2, section 7.9.4) as `2024-01-31T12:00:00+01:00`. */
export function isoDateOf(date: string | undefined): string | undefined {
  const found = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?/.exec(
    date ?? '',
  );
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second = '00', utc, sign, hours, minutes = '00'] = found;
  if (month === undefined || day === undefined) return year;
  if (hour === undefined) return `${year}-${month}-${day}`;
  const zone = utc ?? (sign === undefined ? '' : `${sign}${hours}:${minutes}`);
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}
