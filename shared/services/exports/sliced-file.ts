/** A file that is uploaded over as many slices as it takes. */

import { type ExportContext, NOTHING_WRITTEN, type Pieces, type StageSlice } from './export-context.ts';
import type { ExportFile } from './export-store.ts';
import type { Placed } from './placed.ts';

/** Writes values into an upload. */
export interface FileWriter<Value, State> {
  add(value: Value): Promise<void>;
  /** Returns the state for a writer of a later slice, as JSON. Nothing may be added after it. */
  pause(): Promise<State>;
  /** Writes the end of the file. Returns the number of files that were written besides it, and their bytes. */
  finish(): Promise<{ readonly files: number; readonly bytes: number }>;
}

export interface SlicedAt<Place, State> {
  readonly after: Place | undefined;
  readonly upload: unknown;
  readonly state: State;
}

interface SlicedFile<Value, Place, State> {
  readonly name: string;
  /** The values after a cursor. */
  readonly values: (after: Place | undefined) => AsyncIterable<Placed<Value, Place>>;
  /** `state`: as a writer before has left it. */
  readonly open: (upload: ExportFile, state: State | undefined) => FileWriter<Value, State>;
}

export async function writeSlicedFile<Value, Place, State>(
  context: ExportContext,
  at: SlicedAt<Place, State> | undefined,
  { name, values, open }: SlicedFile<Value, Place, State>,
): Promise<StageSlice> {
  const { objects, isLate, isOver } = context;
  const upload = at ? objects.resume(at.upload) : objects.create(name, await maxBytesOf(context));
  const writer = open(upload, at?.state);
  let after = at?.after;
  let [records, skipped, share] = [0, 0, 0];
  try {
    for await (const placed of values(after)) {
      const { value, isGoodEnd = true } = placed;
      ({ after, share } = placed);
      if (placed.isSkipped) skipped++;
      if (value !== undefined) {
        await writer.add(value);
        records++;
      }
      if (!isOver() && !(isGoodEnd && isLate())) continue;
      const state = await writer.pause();
      const paused = { after, upload: await upload.pause(), state } satisfies SlicedAt<Place, State>;
      return { at: paused, written: { ...NOTHING_WRITTEN, records, skipped }, share };
    }
    const others = await writer.finish();
    const bytes = upload.bytes + others.bytes;
    await upload.complete();
    return { written: { files: 1 + others.files, bytes, records, skipped }, share: 1 };
  } catch (error) {
    // An earlier slice's parts stay: the next function continues with them.
    if (!at) await upload.abort();
    throw error;
  }
}

/** Texts and deflated bodies together are smaller than their archive, or a little larger. */
export async function maxBytesOf({ archive }: ExportContext): Promise<number> {
  const { warcs } = await archive.list();
  return 2 * warcs.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Stores a piece of work that later slices read, unless it is empty. */
export async function keptPiece({ objects }: ExportContext, name: string, body: Uint8Array): Promise<Pieces> {
  if (body.length === 0) return [];
  await objects.putWork(name, body);
  return [[name, body.length]];
}

export async function* piecesOf({ objects }: ExportContext, pieces: Pieces): AsyncGenerator<Uint8Array> {
  for (const [name, bytes] of pieces) yield await objects.readWork(name, bytes);
}
