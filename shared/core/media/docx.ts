/** Word documents: WordprocessingML (ECMA-376, part 1, section 17). */
import { BlockCollector } from './block-collector.ts';
import type { MediaContent, MediaInput } from './media-module.ts';
import { createMathReader } from './office-math.ts';
import { type OfficePackage, openOfficePackage, type Relationships } from './office-package.ts';
import { createReferences, type References } from './references.ts';
import { createTextWriter, type TextWriter } from './text-writer.ts';
import { type Attributes, readXml } from './xml-events.ts';

const MAIN = 'word/document.xml';
/** Notes stand at the end of a document. */
const NOTES = ['footnotes', 'endnotes'];
/** Its content is there in another form, was deleted, or says how the text is pronounced. */
const UNREAD: ReadonlySet<string> = new Set(['Fallback', 'moveFrom', 'del', 'rt']);

export function readDocx({ bytes, url }: MediaInput): MediaContent {
  const office = openOfficePackage(bytes);
  const main = office.mainPart(MAIN);
  const writer = createTextWriter();
  const references = createReferences(url);
  const styles = readStyles(office, main);
  readPart(office, main, { writer, references, styles });
  for (const { type, target } of office.relationshipsOf(main).values())
    if (NOTES.includes(type)) readPart(office, target, { writer, references, styles });
  return { ...writer.end(), metadata: office.metadata(), links: references.all() };
}

interface Target {
  readonly writer: TextWriter;
  readonly references: References;
  readonly styles: Styles;
}

/** The paragraphs of these styles, by their ids. */
interface Styles {
  /** Levels of headings. */
  readonly levels: ReadonlyMap<string, number>;
  readonly lists: ReadonlySet<string>;
}

function readPart(office: OfficePackage, part: string, { writer, references, styles }: Target): void {
  const bytes = office.part(part);
  if (bytes === undefined) return;
  const relationships = office.relationshipsOf(part);
  const fields = createFields();
  const blocks = new BlockCollector(writer);
  /** Targets of the links around the text. */
  const links: (string | undefined)[] = [];
  const math = createMathReader();
  /** Columns of the cells that are open. */
  const spans: number[] = [];
  let unread = 0;

  const linkOf = (reference: string | undefined) =>
    reference === undefined ? undefined : references.add(reference);
  const add = (text: string) => {
    if (unread === 0) blocks.add(text, links.at(-1) ?? linkOf(fields.target()));
  };
  /** Elements that give text or begin a block. */
  const startContent = (name: string, attribute: Attributes, parent: string | undefined) => {
    if (name === 'p') blocks.openParagraph();
    else if (name === 'hyperlink') links.push(linkOf(targetOf(relationships, attribute)));
    else if (name === 'fldSimple') links.push(linkOf(hyperlinkField(attribute('w:instr') ?? '')));
    else if (name === 'fldChar') fields.mark(attribute('w:fldchartype'));
    else if (name === 'tab' && parent === 'r') add('\t');
    else if ((name === 'br' || name === 'cr') && parent === 'r') add('\n');
    else if (name === 'noBreakHyphen') add('-');
    else if (name === 'tbl') blocks.openTable();
    else if (name === 'tr') blocks.openRow();
    else if (name === 'tc') {
      blocks.openCell();
      spans.push(1);
    } else if (name === 'gridSpan' && parent === 'tcPr') spans[spans.length - 1] = countOf(attribute);
    else if (name === 'gridBefore' && parent === 'trPr') blocks.skipColumns(countOf(attribute));
  };
  readXml(bytes, {
    start(name, attribute, parents) {
      if (UNREAD.has(name)) unread++;
      const parent = parents.at(-1);
      if (name.startsWith('m:')) math.start(name, attribute);
      else if (parent === 'pPr' || parent === 'numPr') setProperty(blocks.paragraph, name, attribute, styles);
      else startContent(name, attribute, parent);
    },
    text(text, parents) {
      const parent = parents.at(-1);
      if (parent === 't') add(text);
      else if (parent === 'm:t') math.text(text);
      else if (parent === 'instrText') fields.instruct(text);
    },
    end(name) {
      if (UNREAD.has(name)) unread--;
      else if (name.startsWith('m:')) {
        const formula = math.end(name);
        if (formula !== undefined) add(formula);
      } else if (name === 'tc') blocks.skipColumns((spans.pop() ?? 1) - 1);
      else if (name === 'p') blocks.closeParagraph();
      else if (name === 'hyperlink' || name === 'fldSimple') links.pop();
      else if (name === 'tbl') blocks.closeTable();
    },
  });
}

/** A number of columns (section 17.4.17). */
const countOf = (attribute: Attributes): number => Number(attribute('w:val')) || 1;

/** A property of a paragraph (section 17.3.1). */
function setProperty(
  paragraph: BlockCollector['paragraph'],
  name: string,
  attribute: Attributes,
  { levels, lists }: Styles,
): void {
  const value = attribute('w:val') ?? '';
  if (paragraph === undefined) return;
  if (name === 'pStyle') {
    paragraph.level ??= levels.get(value);
    if (lists.has(value)) paragraph.listDepth ??= 0;
  } else if (name === 'outlineLvl') paragraph.level ??= outlineLevel(value);
  else if (name === 'ilvl') paragraph.listDepth = Number(value) || 0;
}

const targetOf = (relationships: Relationships, attribute: Attributes): string | undefined => {
  const { target, isExternal } = relationships.get(attribute('r:id') ?? '') ?? {};
  return isExternal ? target : undefined;
};

const MAX_FIELDS = 100;
const MAX_INSTRUCTION_CHARS = 5000;

/** Fields of several runs (section 17.16.5): `begin`, the instruction, `separate`, the text, `end`. */
function createFields() {
  const open: { instruction: string; isText: boolean }[] = [];
  return {
    mark(type: string | undefined): void {
      const field = open.at(-1);
      if (type === 'begin' && open.length < MAX_FIELDS) open.push({ instruction: '', isText: false });
      else if (type === 'separate' && field) field.isText = true;
      else if (type === 'end') open.pop();
    },
    instruct(text: string): void {
      const field = open.at(-1);
      if (field && field.instruction.length < MAX_INSTRUCTION_CHARS) field.instruction += text;
    },
    /** Where the text leads to that stands here. */
    target(): string | undefined {
      const field = open.at(-1);
      return field?.isText ? hyperlinkField(field.instruction) : undefined;
    },
  };
}

/** `HYPERLINK "https://example.org/" \o "tip"`. */
const hyperlinkField = (instruction: string): string | undefined =>
  /^\s*HYPERLINK\s+"([^"]{1,4000})"/i.exec(instruction)?.[1];

/** 9 stands for the text of the body. */
function outlineLevel(value: string | undefined): number | undefined {
  const level = Number(value ?? Number.NaN);
  return level >= 0 && level < 9 ? level + 1 : undefined;
}

/** Ids of styles are in the author's language; their names are not (section 17.7.4). */
function readStyles(office: OfficePackage, main: string): Styles {
  const part = [...office.relationshipsOf(main).values()].find(({ type }) => type === 'styles');
  const levels = new Map<string, number>();
  const lists = new Set<string>();
  const based = new Map<string, string>();
  let style = '';
  readXml((part && office.part(part.target)) ?? new Uint8Array(), {
    start(name, attribute) {
      const value = attribute('w:val') ?? '';
      if (name === 'style') style = attribute('w:styleid') ?? '';
      else if (name === 'basedOn') based.set(style, value);
      else if (name === 'numPr') lists.add(style);
      else if (name === 'name') {
        const level = /^title$/i.test(value) ? 1 : Number(/^heading (\d)$/i.exec(value)?.[1] ?? 0);
        if (level > 0) levels.set(style, level);
      } else if (name === 'outlineLvl' && !levels.has(style)) {
        const level = outlineLevel(value);
        if (level !== undefined) levels.set(style, level);
      }
    },
  });
  for (const [own, parent] of based) {
    const level = levels.get(parent);
    if (level !== undefined && !levels.has(own)) levels.set(own, level);
    if (lists.has(parent)) lists.add(own);
  }
  return { levels, lists };
}
