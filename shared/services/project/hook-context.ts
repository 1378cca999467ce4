/** Finds the project's call that started the running code, also in timers and in promises that are not awaited. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { HookError } from '../../crawler/ports/hook-error-log.ts';

export type HookCall = Pick<HookError, 'source' | 'url'>;

const context = new AsyncLocalStorage<HookCall>();

/** Runs code of the project. What it leaves running is known as its own. */
export const inHook = <T>(call: HookCall, work: () => T): T => context.run(call, work);

/** Runs code of ours that the project has called, such as the `next` of a middleware. */
export const outsideHooks = <T>(work: () => T): T => context.exit(work);

/** The project's call that started the running code. */
export const currentHook = (): HookCall | undefined => context.getStore();
