import { itemsCsv } from '../../api/items-csv.ts';
import type { Item } from '../../shared/services/project/project.ts';
import type { RowFormat } from '../../shared/services/report/url-line.ts';
import { gathered } from './gathered.ts';
import { type RowStream, writerTo } from './write-rows.ts';

/** `items`: called twice for CSV, whose header has the keys of all items. */
export async function writeItems(
  items: () => AsyncIterable<Item>,
  format: RowFormat,
  out: RowStream,
): Promise<void> {
  const write = writerTo(out);
  const lines =
    format === 'csv'
      ? gathered(itemsCsv(items), (line) => line)
      : gathered(items(), (item) => `${JSON.stringify(item)}\n`);
  for await (const text of lines) await write(text);
}
