/** The function that renders pages, as a worker calls it. */
import { lazy } from '../../core/base/lazy.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import type { Renderer } from '../../crawler/ports/renderer.ts';
import { createRoundRenderer } from '../../crawler/renderer/rounds/round-renderer.ts';
import type { Meter } from './cost/meter.ts';
import { RENDERER_MEMORY_MB, X86_FACTOR } from './renderer-size.ts';

/** After a page's limit for the start of the function and of its browser. */
const END_MS = 8000;

/** Invokes the function. Rejects with its failure, or once the signal is aborted. */
export type InvokeRenderer = (message: string, signal: AbortSignal) => Promise<string>;

export interface InvokedRendererOptions {
  readonly invoke: InvokeRenderer;
  readonly clock: Clock;
  /** Charges the crawl. */
  readonly meter: () => Pick<Meter, 'add'>;
}

/** Renders pages by the function: each of their rounds is an invocation. */
export function createInvokedRenderer({ invoke, clock, meter }: InvokedRendererOptions): Renderer {
  const elapsed = () => clock.elapsed?.() ?? clock.now();

  async function ask(message: string, ms: number, crawl: CrawlId, signal?: AbortSignal): Promise<string> {
    const answered = new AbortController();
    const late = new AbortController();
    void clock
      .sleep(ms + END_MS, answered.signal)
      .then(() => late.abort(new Error('it did not answer in time')));
    const startedAt = elapsed();
    try {
      return await invoke(
        message,
        signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      );
    } finally {
      answered.abort();
      // As seen from here: a little more than what is billed, and the start of an environment is in it.
      const elapsedMs = Math.ceil(elapsed() - startedAt);
      meter().add('lambdaRequests', 1, crawl);
      meter().add('lambdaMbMs', X86_FACTOR * elapsedMs * RENDERER_MEMORY_MB, crawl);
    }
  }

  return createRoundRenderer({ ask, clock });
}

/** The function of that name. The SDK is loaded when the first page is rendered. */
export function rendererFunction(functionName: string): InvokeRenderer {
  const client = lazy(() => openClient(functionName));
  return async (message, signal) => (await client())(message, signal);
}

/** As it stands in a `try`, functions can be bundled where it is not installed. */
async function openClient(FunctionName: string): Promise<InvokeRenderer> {
  try {
    const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
    // Too many at once are refused: those wait.
    const client = new LambdaClient({ maxAttempts: 6 });
    return async (message, abortSignal) => {
      const command = new InvokeCommand({ FunctionName, Payload: Buffer.from(message) });
      const { Payload, FunctionError } = await client.send(command, { abortSignal });
      const reply = Payload === undefined ? '' : Buffer.from(Payload).toString();
      if (FunctionError !== undefined) throw new Error(failureIn(reply));
      return reply;
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('Rendering on a stack needs the package @aws-sdk/client-lambda: install it', {
      cause: error,
    });
  }
}

/** Returns Lambda's reason why the function failed: it is out of memory, or its time was over. */
function failureIn(reply: string): string {
  const { errorMessage } = JSON.parse(reply) as { readonly errorMessage?: unknown };
  return `the function failed: ${String(errorMessage).slice(0, 200)}`;
}
