import { messageOf } from '../../../core/base/error-message.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  FetchPart,
  PartRefusal,
  PartRequest,
  Renderer,
  Rendering,
  RenderJob,
} from '../../ports/renderer.ts';
import { undrawn } from '../undrawn.ts';
import { KnownScripts } from './known-scripts.ts';
import { decodeReply, encodeAsk, type PackedAnswer, packAnswer, type RoundReply } from './round-messages.ts';

export interface RoundRendererOptions {
  readonly clock: Pick<Clock, 'now' | 'elapsed' | 'sleep'>;
  /** Has one round rendered, within the time. Rejects if it is not. */
  readonly ask: (message: string, ms: number, crawl: CrawlId, signal?: AbortSignal) => Promise<string>;
}

/** A page whose requests lead to requests so often is rendered without the next ones. */
const MAX_ROUNDS = 30;
/** So is one for which no more time is left. Answers that come later are left out: the last round needs it. */
const LAST_MS = 6000;
const LATE: PartRefusal = { status: 'refused', reason: 'no time left' };
const CUT_SHORT = 'it made further requests, for which no time was left';

/**
 * Renders pages where no request can be answered while the browser runs: it replies with the requests that it lacks, they
 * are made here, and the page is rendered again with their answers, until it lacks none. Each request is made once.
 */
export function createRoundRenderer(options: RoundRendererOptions): Renderer {
  const scripts = new KnownScripts();
  return {
    render: (job, fetchPart, signal) => new Rounds({ ...options, scripts, job, fetchPart, signal }).render(),
    close: async () => {},
  };
}

interface RoundsOptions extends RoundRendererOptions {
  readonly scripts: KnownScripts;
  readonly job: RenderJob;
  readonly fetchPart: FetchPart;
  readonly signal: AbortSignal | undefined;
}

class Rounds {
  readonly #options: RoundsOptions;
  readonly #startedAt: number;
  /** Scripts of earlier pages of this kind: sent before the page has requested any. */
  #known: readonly PackedAnswer[];
  readonly #answers: PackedAnswer[] = [];
  #bytes = 0;
  #cpuMs = 0;
  /** Answers that the last round has used, and whether that were more than before: else the page requests something new each time. */
  #used = 0;
  #hasProgress = true;

  constructor(options: RoundsOptions) {
    this.#options = options;
    this.#startedAt = this.#now();
    this.#known = options.scripts.of(options.job, options.clock.now());
  }

  async render(): Promise<Rendering> {
    try {
      return this.#counted(await this.#rendered());
    } catch (error) {
      const state = error instanceof TooLarge ? 'tooLarge' : 'crashed';
      return this.#counted(undrawn(state, messageOf(error), 0));
    }
  }

  async #rendered(): Promise<Rendering> {
    for (let rounds = 1; ; rounds++) {
      const isLast = rounds === MAX_ROUNDS || this.#leftMs <= LAST_MS || !this.#hasProgress;
      const { rendering, needs, usedAnswers } = await this.#ask(isLast);
      this.#cpuMs += rendering.used.cpuMs;
      if (isLast && rendering.state === 'rendered') return { ...rendering, detail: CUT_SHORT };
      if (rendering.state !== 'rendered' || needs.length === 0) return rendering;
      this.#hasProgress = rounds === 1 || usedAnswers > this.#used;
      this.#used = usedAnswers;
      await this.#fetch(needs);
    }
  }

  async #ask(isLast: boolean): Promise<RoundReply> {
    const { job, ask, signal } = this.#options;
    const ms = this.#leftMs;
    const asked = { ...job, limits: { ...job.limits, ms } };
    let message = encodeAsk(asked, [...this.#known, ...this.#answers], isLast);
    if (message === undefined) {
      this.#known = [];
      message = encodeAsk(asked, this.#answers, isLast);
    }
    if (message === undefined) throw new TooLarge();
    return decodeReply(await ask(message, ms, job.crawl, signal), job);
  }

  async #fetch(needs: readonly PartRequest[]): Promise<void> {
    const { job, fetchPart, clock, scripts } = this.#options;
    const room = job.limits.requests - this.#answers.length;
    const fetched = new AbortController();
    const late = clock.sleep(Math.max(0, this.#leftMs - LAST_MS), fetched.signal).then(() => LATE);
    const answering = Promise.all(
      needs.slice(0, Math.max(0, room)).map(async (need) => {
        const request = { ...need, documentUrl: job.url };
        const answer = await Promise.race([fetchPart(request), late]);
        if (answer.status === 'response') this.#bytes += answer.body.size;
        const packed = await packAnswer({ request, answer });
        scripts.keep(job, request, answer, packed);
        return packed;
      }),
    );
    this.#answers.push(...(await answering.finally(() => fetched.abort())));
  }

  get #leftMs(): number {
    return Math.floor(this.#options.job.limits.ms - (this.#now() - this.#startedAt));
  }

  #now(): number {
    const { clock } = this.#options;
    return clock.elapsed?.() ?? clock.now();
  }

  #counted(rendering: Rendering): Rendering {
    const ms = this.#now() - this.#startedAt;
    const used = { requests: this.#answers.length, bytes: this.#bytes, ms, cpuMs: this.#cpuMs };
    return { ...rendering, used };
  }
}

class TooLarge extends Error {
  constructor() {
    super('it and its parts are larger than a payload of Lambda');
  }
}
