/** The layout of a joined WARC object: names, order, offsets, parts of the upload. Pure. */
import { hash } from 'node:crypto';
import { SIZES, type Sizes } from '../../../core/base/sizes.ts';

/** An object to be joined: its name without folder, and its size. */
export interface Source {
  readonly file: string;
  readonly bytes: number;
}

interface PlacedSource extends Source {
  /** Where it begins in the joined file. */
  readonly offset: number;
}

export interface JoinPlan {
  /** The joined file's name, without folder. */
  readonly file: string;
  readonly bytes: number;
  /** Contiguous, in order. */
  readonly sources: readonly PlacedSource[];
}

/** A part of the upload: copied by S3 from `from` up to `to` of a source, or made of whole sources' bytes. */
export type JoinPart =
  | { readonly copied: Source; readonly from: number; readonly to: number }
  | { readonly gathered: readonly Source[] };

/** With `maxSources` of the sizes, the parts are fewer than S3 takes, 10,000. */
const MAX_SPLITS = 5000;

const SOURCE = /^[A-Za-z0-9._-]+-(\d{14})-[0-9a-z]+-\d+\.warc\.gz$/;

/**
 * Whether a file is named as the archive names its objects (`archive.ts`). Files of other names, joined ones too, are
 * left alone.
 */
export const isSourceName = (file: string): boolean => SOURCE.test(file);

/** The name of the index beside a joined file. */
export const indexName = (file: string): string => file.replace(/\.warc\.gz$/, '.cdxj');

/**
 * The plan for these sources, the same in whatever order they come. The joined file is called
 * `joined-YYYYMMDDhhmmss-HASH.warc.gz`: the time of the earliest source, and a hash of all their names and
 * sizes, so that a name represents its bytes.
 *
 * Sources that S3 can copy as parts (`uploadPartBytes`, 5 MiB, and more) come first, then those whose bytes
 * must be gathered: so no part but the last is too small.
 */
export function planJoin(sources: readonly Source[], { uploadPartBytes }: Sizes = SIZES): JoinPlan {
  const byName = sources.toSorted((a, b) => (a.file < b.file ? -1 : 1));
  const ordered = [
    ...byName.filter(({ bytes }) => bytes >= uploadPartBytes),
    ...byName.filter(({ bytes }) => bytes < uploadPartBytes),
  ];
  const stamps = ordered.map(({ file }) => SOURCE.exec(file)?.[1] ?? '').sort();
  const digest = hash('sha256', JSON.stringify(ordered.map(({ file, bytes }) => [file, bytes])));
  return layOut(`joined-${stamps[0]}-${digest.slice(0, 20)}.warc.gz`, ordered);
}

/** The plan of a joined file of that name, in that order. */
export function layOut(file: string, ordered: readonly Source[]): JoinPlan {
  let bytes = 0;
  const sources = ordered.map((source) => {
    const offset = bytes;
    bytes += source.bytes;
    return { file: source.file, bytes: source.bytes, offset };
  });
  return { file, bytes, sources };
}

/**
 * The parts to upload, in order: all but the last of `uploadPartBytes` or more, and at most as many as splits
 * and sources.
 */
export function partsOf(
  { sources, bytes }: JoinPlan,
  { uploadPartBytes, copyBytes }: Sizes = SIZES,
): JoinPart[] {
  const pieceBytes = Math.max(copyBytes, Math.ceil(bytes / MAX_SPLITS));
  const parts: JoinPart[] = [];
  let gathered: Source[] = [];
  let gatheredBytes = 0;
  for (const source of sources) {
    if (source.bytes >= uploadPartBytes) {
      parts.push(...copies(source, Math.ceil(source.bytes / pieceBytes)));
      continue;
    }
    gathered.push(source);
    gatheredBytes += source.bytes;
    if (gatheredBytes < uploadPartBytes) continue;
    parts.push({ gathered });
    gathered = [];
    gatheredBytes = 0;
  }
  if (gathered.length > 0) parts.push({ gathered });
  return parts;
}

/** Evenly, so that no piece is too small. */
function copies(copied: Source, pieces: number): JoinPart[] {
  const at = (i: number) => Math.floor((copied.bytes * i) / pieces);
  return Array.from({ length: pieces }, (_, i) => ({ copied, from: at(i), to: at(i + 1) }));
}
