/** An export that is made in slices: the inputs and outputs of its stages, and how a stage continues. */
import type { ExportWarning } from '../../core/archive/replay-codings.ts';
import type { WaczPage } from '../../core/archive/wacz-pages.ts';
import type { ItemTypes } from '../outputs/parquet/item-table.ts';
import type { ExportSource, OpenedSource } from './export-source.ts';
import type { ExportStore } from './export-store.ts';
import type { ExportProgress } from './held-export.ts';

export interface ExportContext extends Omit<ExportSource, 'open'>, OpenedSource {
  /** Hosts of the crawl, about. */
  readonly hosts: number;
  readonly objects: ExportStore;
  /** A file ends when it has as many bytes. Default: 256 MB. */
  readonly maxFileBytes?: number | undefined;
  /** The most URLs that get files of their own. Default: 1,000,000. */
  readonly maxListed?: number | undefined;
  /** ms since the epoch. */
  now(): number;
  /** Whether the slice should end where it can be continued best. */
  isLate(): boolean;
  /** Whether the slice must end at once. */
  isOver(): boolean;
  /** Called with the files and records that cannot be read. */
  readonly warn: ExportWarning;
  /** Called with a page that lacks something (`document`, `file`, `links`), as it cannot be read. */
  skip(url: string, reason: string, what: string): void;
}

/** The result of a slice of a stage. */
export interface StageSlice {
  /** Where the stage continues, as JSON; undefined: it is done. */
  readonly at?: unknown;
  /** Facts for all later stages. */
  readonly facts?: ExportFacts;
  readonly written: Omit<ExportProgress, 'share'>;
  /** The share of the stage that is done. */
  readonly share: number;
}

/** Runs one slice of a stage. `at`: where the stage continues. */
export type Stage = (context: ExportContext, at: never, facts: ExportFacts) => Promise<StageSlice>;

/** Objects of the work that follow one another in a file. */
export type Pieces = readonly (readonly [name: string, bytes: number])[];

/** Facts about a WACZ file. */
export interface WaczFacts {
  /** Blocks of its index, and their summary. */
  readonly blocks: Pieces;
  readonly summary: Pieces;
  /** The list of its pages. */
  readonly pages: Pieces;
  /** The page that is shown first. */
  readonly main?: WaczPage | undefined;
}

export interface GraphSize {
  readonly vertices: number;
  readonly edges: number;
}

/** Facts that a stage leaves to later ones, and to those who have asked for the export. */
export interface ExportFacts {
  /** Size of the list of files, an object of the work. */
  readonly planBytes?: number;
  /** Types of the items' keys. */
  readonly itemTypes?: ItemTypes;
  /** Parts of a WACZ file. */
  readonly wacz?: WaczFacts;
  /** Rows about all URLs that get a file, as compressed JSON. */
  readonly list?: Pieces;
  /** Sorted lines, by their name. */
  readonly runs?: Readonly<Record<string, Pieces>>;
  /** Files that earlier slices have written of a sequence that several stages number. */
  readonly files?: number;
  /** The size of each graph that is written. */
  readonly graphs?: Readonly<Record<string, GraphSize>>;
  /** HTML pages of a mirror. */
  readonly mirrorPages?: number;
  /** Revisits of which no record is derived. */
  readonly revisits?: number;
  /** A remark about the result, for the user. */
  readonly note?: string;
}

/** The export cannot be made, however often it is tried. */
export class ExportImpossible extends Error {
  override name = 'ExportImpossible';
}

export const NOTHING_WRITTEN = { files: 0, bytes: 0, records: 0, skipped: 0 } as const;
