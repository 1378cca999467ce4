/** The CDXJ indexes and the tables of joined files, read by simple means. */
import { indexName } from '../../shared/engines/aws/archive/compact-layout.ts';
import type { CrawlFacts } from './facts.ts';
import type { Findings } from './findings.ts';

export interface IndexLine {
  readonly url?: string;
  readonly status?: string;
  readonly offset?: string;
  readonly length?: string;
  readonly filename?: string;
}

/** By file and offset. Finds indexes that are not there, not in order, or not of their file; and tables with other captures. */
export function readIndexes(
  findings: Findings,
  { id, files, tables, joined }: CrawlFacts,
): ReadonlyMap<string, ReadonlyMap<number, readonly IndexLine[]>> {
  const indexes = new Map<string, ReadonlyMap<number, readonly IndexLine[]>>();
  for (const file of new Set(Array.from(joined.values(), (source) => source.file))) {
    const bytes = files.get(indexName(file));
    if (!bytes) {
      findings.add(`${id}: ${file} is announced as joined, and its index ${indexName(file)} is not there`);
      continue;
    }
    const lines = Buffer.from(bytes).toString('latin1').split('\n').slice(0, -1);
    const unsorted = lines.find((line, i) => i > 0 && line < (lines[i - 1] as string));
    if (unsorted !== undefined) findings.add(`${id}: the index of ${file} is not in order at ${unsorted}`);
    const entries = lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))) as IndexLine);
    for (const { filename, url } of entries)
      if (filename !== file) findings.add(`${id}: the index of ${file} has a line for ${url} in ${filename}`);
    const captures = entries.map(({ url, offset, length }) => `${url} ${offset} ${length}`).sort();
    const rows = tables.get(file)?.toSorted();
    if (rows?.join('\n') !== captures.join('\n'))
      findings.add(
        `${id}: the tables of ${file} have ${rows?.length ?? 'no'} rows, which are not the ${captures.length} captures of its index`,
      );
    indexes.set(
      file,
      Map.groupBy(entries, ({ offset }) => Number(offset)),
    );
  }
  return indexes;
}
