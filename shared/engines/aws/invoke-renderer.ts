/** The function that renders pages, as a worker calls it. */
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Renderer } from '../../crawler/ports/renderer.ts';
import { createRoundRenderer } from '../../crawler/renderer/rounds/round-renderer.ts';
import type { Meter } from './cost/meter.ts';
import { RENDERER_MEMORY_MB, X86_FACTOR } from './renderer-size.ts';

/** After a page's limit for the start of the function and of its browser. */
const END_MS = 8000;

export interface InvokedRendererOptions {
  readonly functionName: string;
  /** Charges the crawl. */
  readonly meter: () => Pick<Meter, 'add'>;
}

/** Renders pages by the function: each of their rounds is an invocation. */
export function createInvokedRenderer({ functionName, meter }: InvokedRendererOptions): Renderer {
  let invoking: Promise<Invoke> | undefined;

  async function ask(message: string, ms: number, crawl: CrawlId, signal?: AbortSignal): Promise<string> {
    invoking ??= openClient(functionName);
    const invoke = await invoking;
    const ending = AbortSignal.timeout(ms + END_MS);
    const startedAt = performance.now();
    try {
      return await invoke(message, signal === undefined ? ending : AbortSignal.any([signal, ending]));
    } finally {
      // As seen from here: a little more than what is billed, and the start of an environment is in it.
      const elapsedMs = Math.ceil(performance.now() - startedAt);
      meter().add('lambdaRequests', 1, crawl);
      meter().add('lambdaMbMs', X86_FACTOR * elapsedMs * RENDERER_MEMORY_MB, crawl);
    }
  }

  return createRoundRenderer({ ask });
}

type Invoke = (message: string, signal: AbortSignal) => Promise<string>;

/** The SDK is loaded by workers that render. As it stands in a `try`, functions can be bundled where it is not installed. */
async function openClient(FunctionName: string): Promise<Invoke> {
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
