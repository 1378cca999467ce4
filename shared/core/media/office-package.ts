/** The common base of docx, xlsx and pptx: parts, relationships between them, and properties (ECMA-376, part 2). */
import type { PageMetadata } from '../content/metadata.ts';
import { MAX_REFERENCES, UnreadableDocument } from './media-module.ts';
import { readXml } from './xml-events.ts';
import { openZip, type ZipArchive } from './zip.ts';

/** Where a relationship of a part leads. */
interface Relationship {
  /** The last part of the type's URL: `hyperlink`. */
  readonly type: string;
  /** The name of a part; of an external one, a reference. */
  readonly target: string;
  readonly isExternal: boolean;
}

export type Relationships = ReadonlyMap<string, Relationship>;

export interface OfficePackage {
  readonly names: ReadonlySet<string>;
  /** Returns the content of a part; undefined if it is missing. */
  part(name: string): Uint8Array | undefined;
  /** By their ids. */
  relationshipsOf(part: string): Relationships;
  /** The document itself: the part that the package names, otherwise `usual`. */
  mainPart(usual: string): string;
  metadata(): PageMetadata;
}

/** The beginning of an OLE file: documents of Office 97 to 2003, and encrypted ones of later versions. */
const OLE = [0xd0, 0xcf, 0x11, 0xe0];

export function openOfficeZip(bytes: Uint8Array): ZipArchive {
  if (OLE.every((byte, i) => bytes[i] === byte))
    throw new UnreadableDocument('it is encrypted, or of a version of Office before 2007');
  return openZip(bytes);
}

export function openOfficePackage(bytes: Uint8Array): OfficePackage {
  const zip = openOfficeZip(bytes);
  const relationshipsOf = (part: string): Relationships => readRelationships(zip, part);
  return {
    names: zip.names,
    part: (name) => zip.read(name),
    relationshipsOf,
    mainPart(usual) {
      for (const { type, target, isExternal } of relationshipsOf('').values())
        if (type === 'officeDocument' && !isExternal && zip.names.has(target)) return target;
      if (zip.names.has(usual)) return usual;
      throw new UnreadableDocument('it has no document in it');
    },
    metadata: () => readProperties(zip),
  };
}

function readRelationships(zip: ZipArchive, part: string): Relationships {
  const slash = part.lastIndexOf('/') + 1;
  const folder = part.slice(0, slash);
  const bytes = zip.read(`${folder}_rels/${part.slice(slash)}.rels`);
  const found = new Map<string, Relationship>();
  if (bytes === undefined) return found;
  readXml(bytes, {
    start(name, attribute) {
      const id = attribute('id');
      const target = attribute('target');
      if (name !== 'Relationship' || id === undefined || target === undefined || found.size >= MAX_REFERENCES)
        return;
      const isExternal = attribute('targetmode') === 'External';
      const type = attribute('type') ?? '';
      found.set(id, {
        type: type.slice(type.lastIndexOf('/') + 1),
        target: isExternal ? target : partName(folder, target),
        isExternal,
      });
    },
  });
  return found;
}

/** A reference to a part, relative to a folder of the package. */
function partName(folder: string, target: string): string {
  const path: string[] = [];
  for (const step of (target.startsWith('/') ? target : folder + target).split('/'))
    if (step === '..') path.pop();
    else if (step !== '' && step !== '.') path.push(step);
  return path.join('/');
}

/** The properties of Dublin Core, and the number of pages (part 2, section 8; part 1, section 22.2). */
function readProperties(zip: ZipArchive): PageMetadata {
  const texts = new Map<string, string>();
  for (const part of ['docProps/core.xml', 'docProps/app.xml']) {
    const bytes = zip.read(part);
    if (bytes === undefined) continue;
    readXml(bytes, {
      text(text, parents) {
        const name = parents[1];
        if (parents.length === 2 && name !== undefined && texts.size < 100)
          texts.set(name, ((texts.get(name) ?? '') + text).slice(0, MAX_PROPERTY_CHARS));
      },
    });
  }
  return propertiesOf((name) => texts.get(name), {
    pages: texts.get('Slides') ?? texts.get('Pages'),
    created: texts.get('created'),
    modified: texts.get('modified'),
  });
}

export const MAX_PROPERTY_CHARS = 2000;

/** The metadata of a document by its properties' names in Dublin Core. */
export function propertiesOf(
  get: (name: string) => string | undefined,
  more: {
    readonly pages?: string | undefined;
    readonly created?: string | undefined;
    readonly modified?: string | undefined;
  },
): PageMetadata {
  const pages = Number(more.pages);
  const metadata = {
    title: get('title'),
    description: get('description'),
    author: get('creator'),
    published: more.created,
    modified: more.modified,
    language: get('language'),
  };
  const given = Object.entries(metadata)
    .map(([name, value]) => [name, value?.replace(/\s+/g, ' ').trim()] as const)
    .filter(([, value]) => value !== undefined && value !== '');
  return {
    ...Object.fromEntries(given),
    ...(Number.isInteger(pages) && pages > 0 && { pages }),
    types: [],
  };
}
