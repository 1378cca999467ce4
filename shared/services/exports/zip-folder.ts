/** A folder of files, or one ZIP file of them, which is written over many slices. */
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import {
  type ZipEntry,
  zipDescriptor,
  zipDirectoryLines,
  zipEnd,
  zipHeader,
} from '../../core/archive/zip-parts.ts';
import type { ExportContext, Pieces, StageSlice } from './export-context.ts';
import { eachFile, type FolderFile, type PartsAt, writeParts } from './export-parts.ts';
import type { Placed } from './placed.ts';
import { type FileWriter, keptPiece, piecesOf, type SlicedAt, writeSlicedFile } from './sliced-file.ts';

interface FolderState {
  /** ms since the epoch: the time of all files. */
  readonly createdAt: number;
  /** The files so far, and their lines of the directory at the end. */
  readonly count: number;
  readonly directory: Pieces;
}

export type FolderAt<Place> = SlicedAt<Place, FolderState> | PartsAt<Place> | undefined;

const deflate = promisify(deflateRaw);

/** Writes files in the order in which they come: each by itself if the destination has folders, or as `name`, a ZIP file. */
export const writeFolder = <Place>(
  context: ExportContext,
  at: FolderAt<Place>,
  name: string,
  values: (after: Place | undefined) => AsyncIterable<Placed<FolderFile, Place>>,
): Promise<StageSlice> =>
  context.objects.hasFolders
    ? writeParts(context, at as PartsAt<Place> | undefined, {
        values,
        open: async () => eachFile(context.objects),
      })
    : writeZip(context, at as SlicedAt<Place, FolderState> | undefined, name, values);

const writeZip = <Place>(
  context: ExportContext,
  at: SlicedAt<Place, FolderState> | undefined,
  name: string,
  values: (after: Place | undefined) => AsyncIterable<Placed<FolderFile, Place>>,
): Promise<StageSlice> =>
  writeSlicedFile<FolderFile, Place, FolderState>(context, at, {
    name,
    values,
    open(upload, state = { createdAt: context.now(), count: 0, directory: [] }) {
      const { createdAt } = state;
      let entries: ZipEntry[] = [];

      async function add({ path, body }: FolderFile): Promise<void> {
        const deflated = await deflate(body);
        const isSmaller = deflated.length < body.length;
        const sum = crc32(body);
        const deflatedBytes = isSmaller ? deflated.length : undefined;
        const entry = { path, offset: upload.bytes, bytes: body.length, deflatedBytes, crc32: sum };
        await upload.add(zipHeader(path, createdAt, isSmaller));
        await upload.add(isSmaller ? deflated : body);
        await upload.add(zipDescriptor(entry));
        entries.push(entry);
      }

      async function pause(): Promise<FolderState> {
        const count = state.count + entries.length;
        const lines = await keptPiece(context, `directory-${count}`, zipDirectoryLines(entries, createdAt));
        entries = [];
        return { createdAt, count, directory: [...state.directory, ...lines] };
      }

      async function finish() {
        const offset = upload.bytes;
        for await (const lines of piecesOf(context, state.directory)) await upload.add(lines);
        await upload.add(zipDirectoryLines(entries, createdAt));
        const count = state.count + entries.length;
        await upload.add(zipEnd({ count, size: upload.bytes - offset, offset }));
        return { files: 0, bytes: 0 };
      }

      return { add, pause, finish } satisfies FileWriter<FolderFile, FolderState>;
    },
  });
