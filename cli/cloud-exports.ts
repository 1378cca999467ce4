/** Exports that a stack makes by itself, as text for people. */

import { printable } from '../shared/core/text/printable.ts';
import type { CrawlExport, ExportState } from '../shared/services/control/crawl-export.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { formatBytes, formatCounted } from './format.ts';
import type { Place } from './place.ts';

const STATES: Readonly<Record<ExportState, string>> = {
  waiting: 'waits',
  running: 'is being made',
  done: 'is done',
  failed: 'has failed',
};

/** An export, with what it has come to, and where its files are. */
function cloudExportText(shown: CrawlExport): string {
  const { id, state, files, bytes, records, skipped, share, location, message } = shown;
  const percent = state === 'running' ? ` (${Math.floor(100 * share)} %)` : '';
  const left = skipped > 0 ? `; ${formatCounted(skipped, 'record')} could not be read` : '';
  return [
    `${id} ${STATES[state]}${percent}${message === undefined ? '' : `: ${printable(message)}`}`,
    `  ${formatCounted(records, 'record')} in ${formatCounted(files, 'file')}, ${formatBytes(bytes)}${left}`,
    `  ${location}`,
  ].join('\n');
}

export const cloudExportsText = (all: readonly CrawlExport[], beginWith: string): string =>
  all.length === 0 ? `No exports yet. Begin one with: ${beginWith}` : all.map(cloudExportText).join('\n');

/** Prints the export. Ends with 1 if it has failed. */
export function printCloudExport(shown: CrawlExport, place: Place): ExitCode {
  place.print(shown, cloudExportText(shown));
  return shown.state === 'failed' ? exitCodes.unexpected : exitCodes.finished;
}
