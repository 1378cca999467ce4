/** Presentations: PresentationML (ECMA-376, part 1, section 19) with the text of DrawingML (section 21). */
import type { MediaContent, MediaInput } from './media-module.ts';
import { type OfficePackage, openOfficePackage } from './office-package.ts';
import { createReferences, type References } from './references.ts';
import { createTextWriter, type Run, type TextWriter } from './text-writer.ts';
import { readXml } from './xml-events.ts';

const MAIN = 'ppt/presentation.xml';
const MAX_SLIDES = 5000;
/** Placeholders whose text is the title of a slide (section 19.7.10). */
const TITLES: ReadonlySet<string> = new Set(['title', 'ctrTitle']);
/** The number, date and foot of each slide. */
const REPEATED: ReadonlySet<string> = new Set(['sldNum', 'dt', 'ftr', 'sldImg', 'hdr']);

export function readPptx({ bytes, url }: MediaInput): MediaContent {
  const office = openOfficePackage(bytes);
  const main = office.mainPart(MAIN);
  const writer = createTextWriter();
  const references = createReferences(url);
  const slides = slidesOf(office, main);
  for (const slide of slides) {
    if (writer.isFull) break;
    readSlide(office, slide, { writer, references });
    for (const { type, target } of office.relationshipsOf(slide).values())
      if (type === 'notesSlide') readSlide(office, target, { writer, references });
  }
  return {
    ...writer.end(),
    metadata: { ...office.metadata(), pages: slides.length },
    links: references.all(),
  };
}

/** The parts of the slides in their order. */
function slidesOf(office: OfficePackage, main: string): string[] {
  const relationships = office.relationshipsOf(main);
  const slides: string[] = [];
  readXml(office.part(main) ?? new Uint8Array(), {
    start(name, attribute) {
      if (name !== 'sldId' || slides.length >= MAX_SLIDES) return;
      const { target, isExternal } = relationships.get(attribute('r:id') ?? '') ?? {};
      if (target !== undefined && !isExternal) slides.push(target);
    },
  });
  return slides;
}

function readSlide(
  office: OfficePackage,
  part: string,
  { writer, references }: { readonly writer: TextWriter; readonly references: References },
): void {
  const bytes = office.part(part);
  if (bytes === undefined) return;
  const relationships = office.relationshipsOf(part);
  let placeholder: string | undefined;
  let runs: Run[] = [];
  let href: string | undefined;
  let depth: number | undefined;
  let rows: Run[][][] | undefined;
  let unread = 0;

  const linkOf = (id: string | undefined) => {
    const { target, isExternal } = relationships.get(id ?? '') ?? {};
    return target !== undefined && isExternal ? references.add(target) : undefined;
  };
  const close = () => {
    const cell = rows?.at(-1)?.at(-1);
    if (cell !== undefined) {
      if (cell.length > 0) cell.push({ text: ' ' });
      for (const run of runs) cell.push(run);
    } else if (placeholder !== undefined && REPEATED.has(placeholder)) return;
    else if (placeholder !== undefined && TITLES.has(placeholder)) writer.heading(2, runs);
    else if (depth !== undefined) writer.item(depth, runs);
    else writer.paragraph(runs);
  };

  readXml(bytes, {
    start(name, attribute) {
      if (name === 'Fallback') unread++;
      else if (name === 'sp') placeholder = undefined;
      else if (name === 'ph') placeholder = attribute('type') ?? 'body';
      else if (name === 'p') {
        runs = [];
        depth = undefined;
      } else if (name === 'pPr') {
        const level = Number(attribute('lvl') ?? 0);
        if (level > 0) depth = Math.min(level, 8) - 1;
      } else if (name === 'r' || name === 'fld') href = undefined;
      else if (name === 'hlinkClick') href = linkOf(attribute('r:id'));
      else if (name === 'br') runs.push({ text: '\n' });
      else if (name === 'tbl') rows = [];
      else if (name === 'tr') rows?.push([]);
      else if (name === 'tc') rows?.at(-1)?.push([]);
    },
    text(text, parents) {
      if (parents.at(-1) === 't' && unread === 0 && !writer.isFull) runs.push({ text, href });
    },
    end(name) {
      if (name === 'Fallback') unread--;
      else if (name === 'p' && unread === 0) close();
      else if (name === 'tbl') {
        if (rows !== undefined) writer.table(rows);
        rows = undefined;
      }
    },
  });
}
