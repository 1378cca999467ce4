/**
 * The function that renders pages, in an account that has one: its rounds as deployed, with a table of pages (`web/scripts.ts`)
 * where the browser is.
 */
import type { PartRequest, Rendering, RenderJob } from '../../shared/crawler/ports/renderer.ts';
import { type DrawAlone, renderRound } from '../../shared/crawler/renderer/rounds/render-round.ts';
import {
  decodeAsk,
  encodeReply,
  type RoundAsk,
} from '../../shared/crawler/renderer/rounds/round-messages.ts';
import { RENDERER_TIMEOUT_S } from '../../shared/engines/aws/renderer-size.ts';
// Loaded before it is wanted: nothing in a world waits for files.
import '../../shared/core/content/extract.ts';
import { fieldValues } from '../../shared/core/outcome/response-head.ts';
import { decodeBody } from '../../shared/core/parser/decode-body.ts';
import type { InvokeRenderer } from '../../shared/engines/aws/invoke-renderer.ts';
import type { SimCloud } from '../models/cloud.ts';
import { createSimLambda, type SimFunction } from '../models/lambda.ts';
import type { SimProcess } from '../models/process.ts';
import { between, randomOf } from '../models/random.ts';
import type { Part } from '../web/part.ts';
import { PART_END } from '../web/responses.ts';
import type { Round, SimWeb } from './spec.ts';

export interface SimRenderer {
  readonly lambda: SimFunction<object, object>;
  /** How a worker's process calls it. */
  invokerOf(process: SimProcess): InvokeRenderer;
  readonly rounds: readonly Round[];
}

type RenderedWeb = Pick<SimWeb, 'partsOf' | 'drawnOf' | 'isScripted'>;

/** So often the SDK tries again if all the concurrency is in use. */
const MAX_ATTEMPTS = 6;
const BACKOFF_MS = 200;
const ROUND_MS = [200, 2500] as const;
const LATE_MS = 12_000;
const NO_USE = { requests: 0, bytes: 0, ms: 0, cpuMs: 0 };

export function createSimRenderer(
  cloud: SimCloud,
  {
    seed,
    web,
    maxConcurrency,
  }: { readonly seed: number; readonly web: RenderedWeb; readonly maxConcurrency: number },
): SimRenderer {
  const { time, faults, trace } = cloud;
  const rounds: Round[] = [];
  const random = randomOf(seed, 'rounds of rendering');

  function begin({ job: { url, limits }, isLast }: RoundAsk): Round {
    // Until it has ended well.
    const round: Round = { url, at: time.now(), end: 'failed', ...(isLast && { lastWithMs: limits.ms }) };
    rounds.push(round);
    return round;
  }

  const lambda = createSimLambda<object, object>({
    name: 'renderer',
    time,
    faults,
    trace,
    timeoutMs: RENDERER_TIMEOUT_S * 1000,
    maxConcurrency,
    random: randomOf(seed, 'function', 'renderer'),
    begin: cloud.begin,
    load: (process) => async (event) => {
      const ask = decodeAsk(event);
      const round = begin(ask);
      const { clock } = process;
      await clock.sleep(between(random, ...ROUND_MS));
      if (faults.strikes('renderFails')) return failing(process, () => faults.random('renderFails'));
      const reply = await renderRound(ask, drawOf(web), clock.now());
      const isFilled = reply.rendering.html !== undefined && !isShell(reply.rendering, ask.job, web);
      round.end = reply.needs.length > 0 ? 'needs' : isFilled ? 'filled' : 'unfilled';
      trace?.({ process: process.name, what: `rendered ${ask.job.url}: ${round.end}` });
      return encodeReply(reply);
    },
  });

  return {
    lambda,
    rounds,
    invokerOf: (process) => async (message, signal) => {
      const event = JSON.parse(message) as { readonly url: string };
      for (let attempt = 1; ; attempt++) {
        if (signal.aborted) throw new Error('Request aborted');
        const invoked = await process.io(() => unlessAborted(lambda.invoke(event), signal));
        if (invoked === undefined) throw new Error('Request aborted');
        if (invoked.status === 'done') return JSON.stringify(invoked.result);
        if (invoked.status === 'failed') throw new Error(`the function failed: ${invoked.error.message}`);
        if (attempt === MAX_ATTEMPTS) {
          rounds.push({ url: event.url, at: time.now(), end: 'failed' });
          throw new Error('Rate Exceeded.');
        }
        await process.clock.sleep(process.clock.random() * BACKOFF_MS * 2 ** attempt, signal);
      }
    },
  };
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const end = () => resolve(undefined);
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

/** The page makes its requests as a browser would, and is filled if all that it needs has come. */
const drawOf =
  (web: RenderedWeb): DrawAlone =>
  async (job, answerPart) => {
    const drawn = (html: Uint8Array | undefined): Rendering => ({
      state: 'rendered',
      ...(html !== undefined && { html: Buffer.from(html).toString() }),
      links: [],
      cookies: [],
      used: NO_USE,
    });
    if (!web.isScripted(job.url)) return drawn(job.document.body);
    for (const step of web.partsOf(job.url)) {
      const answers = await Promise.all(step.map((part) => answerPart(requestOf(part, job))));
      if (answers.some(({ status }) => status === 'held')) return drawn(undefined);
      for (const [i, { isNeeded }] of step.entries())
        if (isNeeded && !(await isWhole(answers[i] as Answer))) return drawn(job.document.body);
    }
    return drawn(web.drawnOf(job.url));
  };

type Answer = Awaited<ReturnType<Parameters<DrawAlone>[1]>>;

async function isWhole(answer: Answer): Promise<boolean> {
  if (answer.status !== 'response' || answer.httpStatus !== 200) return false;
  const coding = fieldValues(answer.headers, 'content-encoding').join(', ');
  return Buffer.from(decodeBody(await answer.body.bytes(), coding, 1e6)).includes(PART_END);
}

const requestOf = ({ url, method, kind }: Part, job: RenderJob): PartRequest => ({
  url,
  method,
  headers: method === 'POST' ? { 'content-type': 'application/json' } : {},
  ...(method === 'POST' && { body: Buffer.from('{}') }),
  kind,
  documentUrl: job.url,
});

const isShell = ({ html }: Rendering, { url, document }: RenderJob, web: RenderedWeb): boolean =>
  web.isScripted(url) && html === Buffer.from(document.body).toString();

/** Failures of the page, of its browser, of the function, and replies that are garbage. */
async function failing(process: SimProcess, random: () => number): Promise<object> {
  const { clock } = process;
  const undrawn = (state: Rendering['state']) => ({
    state,
    links: [],
    cookies: [],
    used: NO_USE,
    needs: [],
    usedAnswers: 0,
  });
  switch (Math.floor(random() * 8)) {
    case 0:
      return undrawn('crashed');
    case 1:
      await clock.sleep(LATE_MS);
      return undrawn('timedOut');
    case 2:
      return undrawn('noBrowser');
    case 3:
      process.kill('Runtime.OutOfMemory');
      return new Promise(() => {});
    case 4:
      await clock.sleep(2 * RENDERER_TIMEOUT_S * 1000);
      return undrawn('crashed');
    case 5:
      throw new Error('Runtime.ImportModuleError');
    case 6:
      return { nonsense: true };
    default:
      // As a version before this one might.
      return { ...undrawn('rendered'), usedAnswers: undefined };
  }
}
