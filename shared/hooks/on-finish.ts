import { messageOf } from '../error-message.ts';
import type { StrandConfig } from '../project/project.ts';
import type { CrawlSummary } from '../report/summary.ts';
import { type HookLimits, oneLine, runHook } from './run-hook.ts';

/** Tells the project of the crawl's end. Never throws; resolves to why `onFinish` failed, if it did, for people. */
export async function callOnFinish(
  { onFinish }: Pick<StrandConfig, 'onFinish'>,
  summary: CrawlSummary,
  limits: HookLimits,
): Promise<string | undefined> {
  try {
    await runHook(() => onFinish?.(summary), limits);
    return undefined;
  } catch (error) {
    return oneLine(`onFinish: ${messageOf(error)}`);
  }
}
