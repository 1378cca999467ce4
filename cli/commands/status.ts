import type { LocalCommandOf } from '../command.ts';
import { terminalOf } from '../drawn-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { summaryJson, summaryText } from '../summary.ts';
import { summarize } from './summarize.ts';

/** `strand status DIR`: how far the crawl is, also while it runs. */
export async function status({ dir, json }: LocalCommandOf<'status'>): Promise<number> {
  const summary = await summarize(dir);
  const text = json
    ? summaryJson(summary)
    : summaryText(summary, terminalOf(process.stdout, process.env).colour, { dir });
  process.stdout.write(`${text}\n`);
  return exitCodes.finished;
}
