/** Shared by the commands that serve until Ctrl-C. */
import { messageOf } from '../shared/core/base/error-message.ts';
import type { OptionSpec } from './option-spec.ts';
import { UsageError } from './usage-error.ts';

export const portOption = (preset: number): OptionSpec => ({
  name: 'port',
  argument: 'PORT',
  type: 'count',
  range: [0, 65_535],
  preset: String(preset),
  group: 'Output',
  help: 'port of 127.0.0.1 to serve at; 0: any that is free',
});

/** Aborts at the first signal that ends a process. Called before anything is opened, so that it is closed in order. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort());
  return stopping.signal;
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** Names a port that cannot be used, and the option that takes another one. Throws {@link UsageError}, or the error itself. */
export const portFault =
  (port: number | undefined, option = '--port') =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
    throw new UsageError(`Port ${port} cannot be used (${messageOf(error)}); ${option} 0 takes a free one`, {
      cause: error,
    });
  };
