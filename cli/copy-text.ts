/** `strand --stack NAME push DIR`, `pull CRAWL DIR`: the progress, and the end. */
import type { CopiedCrawl, CopyProgress } from '../api/copy-options.ts';
import type { StackAddress } from '../api/stack-address.ts';
import { printable } from '../shared/core/text/printable.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import { commandAt } from './command-at.ts';
import { formatBytes, formatCount, formatCounted, formatDuration } from './format.ts';

/** A line is written this often, as the copy may take hours. */
const EVERY_MS = 5000;

export interface CopyOutput {
  readonly err: { write(text: string): unknown };
  readonly clock: Pick<Clock, 'now'>;
}

/** Returns what writes a line now and then. */
export function copyProgress({ err, clock }: CopyOutput): (progress: CopyProgress) => void {
  let shownAt = clock.now();
  let shown: CopyProgress['step'] | undefined;
  return (progress) => {
    const isNew = progress.step === 'wait' && shown !== 'wait';
    if (!isNew && clock.now() - shownAt < EVERY_MS) return;
    if (progress.step === 'wait' && !isNew) return;
    shownAt = clock.now();
    shown = progress.step;
    err.write(`${progressLine(progress)}\n`);
  };
}

function progressLine({ step, done, all }: CopyProgress): string {
  const format = step === 'archive' ? formatBytes : formatCount;
  const amount = all === undefined ? format(done) : `${format(done)} of ${format(all)}`;
  switch (step) {
    case 'wait':
      return `Waiting until the links on their way have come to their hosts, a minute or more${done > 0 ? ` (${formatDuration(done)} by now)` : ''}`;
    case 'archive':
      return `WARC files: ${amount}`;
    case 'items':
      return `Items: ${amount}`;
    case 'skips':
      return `Links left out: ${amount}`;
    case 'hosts':
      return `Hosts: ${amount}`;
  }
}

/** A crawl that is complete in the stack. */
export function pushedText(copied: CopiedCrawl, dir: string, { stack, region }: StackAddress): string {
  const there = { stack, ...(region !== undefined && { region }), crawl: copied.crawl };
  return [
    `The crawl ${copied.crawl} is in the stack ${stack}: ${amounts(copied)}`,
    ...copied.lacks.map((lack) => `Not copied: ${printable(lack)}`),
    `Continue it there with: ${commandAt(there, 'resume')}`,
    `${printable(dir)} keeps its copy. Continue one of the two: both would fetch the same pages`,
  ].join('\n');
}

/** A crawl that is complete in the folder. */
export function pulledText(copied: CopiedCrawl, dir: string, stack: string): string {
  const { opens = [] } = copied;
  return [
    `The crawl ${copied.crawl} is in ${printable(dir)}: ${amounts(copied)}`,
    ...(opens.length > 0 ? [`Its settings open something here: ${opens.map(printable).join('; ')}`] : []),
    `Continue it here with: ${commandAt({ dir }, 'resume')}${opens.length > 0 ? ' --trust-settings' : ''}`,
    `The stack ${stack} keeps its copy. Continue one of the two: both would fetch the same pages`,
  ].join('\n');
}

const amounts = ({ hosts, warcFiles, items }: CopiedCrawl): string =>
  [
    formatCounted(hosts, 'host'),
    formatCounted(warcFiles, 'WARC file'),
    ...(items > 0 ? [formatCounted(items, 'item')] : []),
  ].join(', ');
