import { messageOf } from '../../core/base/error-message.ts';
import type { CrawlState, StrandConfig } from '../project/project.ts';
import type { CrawlSummary } from '../report/summary.ts';
import { type HookLimits, oneLine, runHook } from './run-hook.ts';

/** Calls `onFinish`. Never throws; resolves to the reason, for people, if it failed. */
export async function callOnFinish(
  { onFinish }: Pick<StrandConfig, 'onFinish'>,
  summary: CrawlSummary,
  state: CrawlState,
  limits: HookLimits,
): Promise<string | undefined> {
  try {
    await runHook(() => onFinish?.(summary, { state }), limits);
    return undefined;
  } catch (error) {
    return oneLine(`onFinish: ${messageOf(error)}`);
  }
}
