import { messageOf } from '../../core/base/error-message.ts';
import type { HookError } from '../../crawler/ports/hook-error-log.ts';
import { currentHook, type HookCall } from '../project/hook-context.ts';
import { oneLine, stackOf } from './run-hook.ts';

export interface GuardOptions {
  /**
   * Called with what a hook has thrown, and whether it is the first error that this call for a page has left
   * behind.
   */
  readonly onFailure: (error: HookError, isNewPage: boolean) => void;
  /** Called with an error that no hook has left behind: a bug of ours. */
  readonly onBug: (error: unknown) => void;
}

/** Hooks that are called for a page. */
const PAGE_SOURCES: ReadonlySet<HookCall['source']> = new Set(['extraction', 'onPage', 'item']);

/** A hook has called `process.exit`, which ends no crawl. */
class ExitRefused extends Error {
  override name = 'ExitRefused';
}

/**
 * Keeps faults of hooks from ending the thread: a rejected promise that is not awaited, an error thrown
 * in a timer, `process.exit`, which throws. For a thread or a process that does nothing but crawl.
 * Returns the real `process.exit`.
 */
export function guardProcess({ onFailure, onBug }: GuardOptions): typeof process.exit {
  const failed = new WeakSet<HookCall>();
  const onError = (error: unknown) => {
    const call = currentHook();
    if (call === undefined) return onBug(error);
    const isNewPage = PAGE_SOURCES.has(call.source) && !failed.has(call);
    failed.add(call);
    onFailure({ ...call, message: oneLine(messageOf(error)), stack: stackOf(error) }, isNewPage);
  };
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  const exit = process.exit;
  process.exit = (code) => {
    throw new ExitRefused(`process.exit(${code ?? ''}) was called, which does not end a crawl`);
  };
  return exit;
}
