import { messageOf } from '../../../core/base/error-message.ts';
import {
  createItemColumns,
  ITEM_COLUMN,
  itemRows,
  withItemColumn,
} from '../../../services/outputs/parquet/item-table.ts';
import type { Column } from '../../../services/outputs/parquet/table.ts';
import { createTableBytes } from '../../../services/outputs/parquet/table-writer.ts';
import { linesOfBytes } from './item-lines.ts';

interface EncodeOptions {
  /** Comes before each object, and each thousand rows. What it throws is thrown. */
  readonly step: () => Promise<void>;
  /** Called with the number of an object, and why it has no rows, or one of its lines none. */
  readonly skip: (object: number, reason: string) => void;
}

type Item = Readonly<Record<string, unknown>>;

/** Rows that are made without a pause. */
const ROWS_AT_ONCE = 1000;

/**
 * A table of the items in these objects of compressed lines: the columns of an export, then the item as it is. Equal
 * objects make equal bytes. They are decompressed twice, so that the items of one are held at a time. Undefined: they
 * have no item.
 */
export async function encodeItems(
  objects: readonly Uint8Array[],
  { step, skip }: EncodeOptions,
): Promise<Uint8Array | undefined> {
  const columns = await columnsOf(objects, { step, skip });
  if (!columns) return undefined;
  const table = createTableBytes(columns);
  const rowOf = itemRows(columns);
  for await (const { line, item } of itemsIn(objects, { step, skip: () => {} }))
    await table.add({ ...rowOf(item), [ITEM_COLUMN]: line });
  return table.finish();
}

async function columnsOf(
  objects: readonly Uint8Array[],
  options: EncodeOptions,
): Promise<readonly Column[] | undefined> {
  const found = createItemColumns();
  let hasItems = false;
  for await (const { item } of itemsIn(objects, options)) {
    hasItems = true;
    found.add(item);
  }
  return hasItems ? withItemColumn(found.columns()) : undefined;
}

async function* itemsIn(
  objects: readonly Uint8Array[],
  { step, skip }: EncodeOptions,
): AsyncGenerator<{ readonly line: string; readonly item: Item }> {
  for (const [i, object] of objects.entries()) {
    let lines: string[] = [];
    try {
      // At once: in a simulation, time would pass while another thread does it.
      lines = linesOfBytes(object);
    } catch (error) {
      skip(i, messageOf(error));
    }
    for (const [n, line] of lines.entries()) {
      if (n % ROWS_AT_ONCE === 0) await step();
      const item = itemOf(line);
      if (item) yield { line, item };
      else skip(i, `line ${n + 1} is no object of JSON`);
    }
  }
}

function itemOf(line: string): Item | undefined {
  try {
    const item: unknown = JSON.parse(line);
    return typeof item === 'object' && item !== null && !Array.isArray(item) ? (item as Item) : undefined;
  } catch {
    return undefined;
  }
}
