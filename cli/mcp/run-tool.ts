/** Calls a tool: a few at once, each with a limit of time, and every failure as a result that says what to do. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { Semaphore } from '../../shared/core/base/semaphore.ts';
import type { Session } from './session.ts';
import { createCall, type Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';
import { sentence } from './tools/fields.ts';

const MAX_AT_ONCE = 4;
/** Further calls are refused while this number of them waits. */
const MAX_WAITING = 200;
const CALL_MS = 30_000;

export type RunTool = (tool: Tool, input: unknown, signal?: AbortSignal) => Promise<CallToolResult>;

export function createRunTool(session: Session, warn: (line: string) => void, limitMs = CALL_MS): RunTool {
  const slots = new Semaphore(MAX_AT_ONCE);
  let calls = 0;
  return async (tool, input, signal) => {
    if (calls >= MAX_AT_ONCE + MAX_WAITING)
      return refusal(new ToolError('busy', 'Too many calls wait. Ask again in some seconds.'));
    calls++;
    const ending = new AbortController();
    const time = setTimeout(() => ending.abort(new ToolError('timeout', TOO_LONG)), limitMs);
    const stop = () => ending.abort(new ToolError('cancelled', 'The call was cancelled.'));
    signal?.addEventListener('abort', stop, { once: true });
    const work = run();
    try {
      return await Promise.race([work, aborted(ending.signal)]);
    } catch (error) {
      return refusal(toolErrorOf(error, tool, warn));
    } finally {
      clearTimeout(time);
      signal?.removeEventListener('abort', stop);
      // Work that has lost the race keeps its slot until it ends.
      void work.catch(() => {}).then(() => calls--);
    }

    async function run(): Promise<CallToolResult> {
      const release = await slots.acquire(1, { signal: ending.signal });
      try {
        if (release === undefined) throw ending.signal.reason;
        const call = createCall(session, ending.signal);
        const answer = await tool.run(input as never, call);
        const text = JSON.stringify(answer);
        // Whatever the tool: what has marked text says so.
        const structuredContent = text.includes(call.id) ? { ...answer, untrusted: true } : { ...answer };
        return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
      } finally {
        release?.();
      }
    }
  };
}

const TOO_LONG =
  'It took longer than 30 s. Ask again: what was fetched until now is kept; a smaller limit or a later `since` takes less time.';

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const refusal = ({ code, message }: ToolError): CallToolResult => ({
  content: [{ type: 'text', text: `${code}: ${message}` }],
  isError: true,
});

/** The answer has only the kind of an error that no tool expects: messages may have paths or settings in them. */
function toolErrorOf(error: unknown, { name }: Tool, warn: (line: string) => void): ToolError {
  if (error instanceof ToolError) return error;
  const { name: kind, code } = error as { name?: string; code?: string };
  if (kind === 'ControlError') return new ToolError(code ?? 'refused', sentence(messageOf(error)));
  if (kind === 'NoContact')
    return new ToolError(
      'noContact',
      'The server has no contact, so it asks no site. The operator starts it with --contact MAIL; pages of crawls can be read.',
    );
  if (kind === 'InvalidConfig') {
    warn(`${name}: ${messageOf(error)}`);
    return new ToolError(
      'settings',
      'The settings of the server do not allow that. The operator finds the reason in its log.',
    );
  }
  warn(`${name}: ${messageOf(error)}`);
  return new ToolError(
    'failed',
    `${name} failed (${kind ?? 'error'}). The operator finds the reason in the log of the server.`,
  );
}
