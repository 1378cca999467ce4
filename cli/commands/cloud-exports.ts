/** Exports that a stack makes by itself, as text for people. */

import { printable } from '../../shared/core/text/printable.ts';
import type { CrawlExport, ExportState } from '../../shared/services/control/crawl-export.ts';
import { formatBytes, formatCounted } from '../format.ts';

const STATES: Readonly<Record<ExportState, string>> = {
  waiting: 'waits',
  running: 'is being made',
  done: 'is done',
  failed: 'has failed',
};

/** An export, with what it has come to, and where its files are. */
export function cloudExportText(shown: CrawlExport): string {
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
