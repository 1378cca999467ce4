/** WET and WAT files, one for each WARC file, or several where its records take longer than a slice. */

import { plannedFiles } from './archive-plan.ts';
import { type DerivedFormat, derivedRecords, derivedWarcinfo } from './derived-records.ts';
import { type ExportContext, type ExportFacts, NOTHING_WRITTEN, type StageSlice } from './export-context.ts';
import { withheldUrls } from './export-source.ts';

interface DerivedAt {
  /** Files that are done. */
  readonly next: number;
  /** A part of the file after them that is done: up to that offset, in as many files. */
  readonly part?: { readonly offset: number; readonly pieces: number } | undefined;
}

export async function writeDerived(
  context: ExportContext,
  format: DerivedFormat,
  at: DerivedAt = { next: 0 },
  facts: ExportFacts,
): Promise<StageSlice> {
  const { crawl, objects } = context;
  const files = await plannedFiles(context, facts);
  // Only crawls with a purpose, with languages or without near duplicates keep anything from exports.
  const withheld = await withheldUrls(context);
  let { revisits = 0 } = facts;
  let [written, next, part] = [{ ...NOTHING_WRITTEN } as StageSlice['written'], at.next, at.part];
  const warn = (message: string) => {
    written = { ...written, skipped: written.skipped + 1 };
    context.warn(message);
  };

  async function writeFile(name: string): Promise<void> {
    const { offset = 0, pieces = 0 } = part ?? {};
    const end = pieces === 0 ? '' : `.part${pieces + 1}`;
    const derived = name.replace(/\.warc\.gz$/, `${end}.warc.${format}.gz`);
    const upload = objects.create(derived);
    part = undefined;
    let records = 0;
    try {
      for (const piece of derivedWarcinfo(crawl, name, derived)) await upload.add(piece);
      for await (const made of derivedRecords(files.reader(name), {
        file: name,
        format,
        offset,
        withheld,
        modules: context.modules,
        warn,
      })) {
        for (const piece of made.record ?? []) await upload.add(piece);
        if (made.record) records++;
        if (made.isRevisit) revisits++;
        if (!context.isOver()) continue;
        part = { offset: made.end, pieces: pieces + 1 };
        break;
      }
      const { bytes } = upload;
      await upload.complete();
      written = {
        ...written,
        files: written.files + 1,
        bytes: written.bytes + bytes,
        records: written.records + records,
      };
    } catch (error) {
      await upload.abort();
      throw error;
    }
  }

  while (next < files.warcs.length) {
    await writeFile(files.warcs[next]!.name);
    if (!part) next++;
    if (part || context.isLate()) break;
  }
  const isDone = next === files.warcs.length;
  return {
    ...(!isDone && { at: { next, part } satisfies DerivedAt }),
    facts: { ...facts, revisits, ...(isDone && revisits > 0 && { note: revisitsNote(revisits) }) },
    written,
    share: isDone ? 1 : next / files.warcs.length,
  };
}

const revisitsNote = (revisits: number): string =>
  `${revisits} revisits without text and links, which stand in the records that they refer to`;
