/** Checks WARC files, and prints their records. */
import { type CheckedWarc, createWarcCheck, type WarcFault } from '../shared/core/archive/check-warc.ts';
import { openRecord } from '../shared/core/archive/read-member.ts';
import { NotWarc } from '../shared/core/archive/read-warc.ts';
import type { ReadAt } from '../shared/core/archive/scan-members.ts';
import { windowedRead } from '../shared/core/archive/windowed-read.ts';
import { printable, shorten } from '../shared/core/text/printable.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type RowStream, writerTo } from './export/row-stream.ts';
import { formatBytes, formatCount, formatCounted, largestFirst } from './format.ts';
import { UsageError } from './usage-error.ts';

/** At most this many faults of a file are printed; of more, the number. */
const MAX_SHOWN = 100;

interface FaultList {
  readonly shown: WarcFault[];
  errors: number;
  warnings: number;
}

/** Calls `work` with what reads the file of that name. */
type ReadingFile = <T>(name: string, work: (read: ReadAt) => Promise<T>) => Promise<T>;

/** A line for each file and, in text, one for each of its faults. 1 if there is an error in any. */
export async function checkFiles(
  names: readonly string[],
  reading: ReadingFile,
  { json, out }: { readonly json: boolean; readonly out: RowStream },
): Promise<ExitCode> {
  let list = newList();
  const check = createWarcCheck((fault) => {
    list[fault.severity === 'error' ? 'errors' : 'warnings']++;
    if (list.shown.length < MAX_SHOWN) list.shown.push(fault);
  });
  const write = writerTo(out);
  let errors = 0;
  for (const name of names) {
    list = newList();
    const checked = await reading(name, (read) => check.file(name, windowedRead(read)));
    errors += list.errors;
    await write(json ? jsonLine(name, checked, list) : fileText(name, checked, list));
  }
  list = newList();
  check.end();
  if (list.shown.length > 0)
    await write(json ? jsonLine(undefined, undefined, list) : `All files: ${faultText(list, true)}`);
  return errors > 0 ? exitCodes.unexpected : exitCodes.finished;
}

const newList = (): FaultList => ({ shown: [], errors: 0, warnings: 0 });

/** A last line, about all files together, has no `file`. */
function jsonLine(file: string | undefined, checked: CheckedWarc | undefined, list: FaultList): string {
  const { errors, warnings, shown } = list;
  const faults = shown.map((fault) => (file === undefined ? fault : { ...fault, file: undefined }));
  return `${JSON.stringify({ file, ...checked, errors, warnings, faults })}\n`;
}

function fileText(path: string, { bytes, records }: CheckedWarc, list: FaultList): string {
  const counts = largestFirst(records);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const types = counts.map(([type, count]) => `${formatCount(count)} ${shorten(printable(type), 40)}`);
  const kinds = types.length > 0 ? ` (${types.join(', ')})` : '';
  const what = `${formatCounted(total, 'record')}${kinds}, ${formatBytes(bytes)}`;
  return `${printable(path)}: ${what}, ${faultText(list, false)}`;
}

/** The number of faults, then a line for each. */
function faultText({ errors, warnings, shown }: FaultList, isFileNamed: boolean): string {
  const counts = [
    ...(errors > 0 || warnings === 0 ? [errors === 0 ? 'no errors' : formatCounted(errors, 'error')] : []),
    ...(warnings > 0 ? [formatCounted(warnings, 'warning')] : []),
  ];
  const lines = shown.map(({ file, offset, severity, message }) => {
    const where = isFileNamed ? `${printable(file)} at ${offset}` : `at ${offset}`;
    return `  ${where}: ${severity}: ${printable(message)}`;
  });
  const more = errors + warnings - shown.length;
  if (more > 0) lines.push(`  and ${formatCount(more)} more`);
  return `${[counts.join(', '), ...lines].join('\n')}\n`;
}

/** The record's head and block, as stored. Nothing is written where none begins at `offset`. */
export async function writeRecord(
  read: ReadAt,
  { file, offset }: { readonly file: string; readonly offset: number },
  out: RowStream,
): Promise<void> {
  const { head, block, close } = await openRecord(read, offset).catch((error) => {
    if (!(error instanceof NotWarc)) throw error;
    throw new UsageError(
      `No record begins at ${offset} of ${file}: ${error.message.replace(/^Member at \d+: /, '')}`,
      { cause: error },
    );
  });
  try {
    const write = writerTo(out);
    await write(head);
    for await (const chunk of block) await write(chunk);
  } finally {
    await close();
  }
}
