import { PAGE_LIMITS } from '../../core/render/page-limits.ts';
import { isStuck } from '../../core/render/settle.ts';
import { mostUsedSince } from './process-watch.ts';

export interface ScriptWatchOptions {
  /** Sends a command to the page. */
  readonly send: (method: string, params?: object, ms?: number) => Promise<unknown>;
  /** CPU that each process of the browser has used. */
  readonly cpuByProcess: () => ReadonlyMap<number, number> | undefined;
  /** Called when a script was ended. */
  readonly onEnd: () => void;
}

interface Question {
  readonly askedAt: number;
  readonly cpu: ReadonlyMap<number, number> | undefined;
}

const ANSWER_MS = 60_000;
/** Most pages are rendered before the first question. */
const PAUSE_MS = 600;

/** Ends scripts of a page that give the page no turn: the links that were rendered before are kept. */
export class ScriptWatch {
  readonly #options: ScriptWatchOptions;
  #question: Question | undefined;
  #asksAt = performance.now() + PAUSE_MS;
  #ended = 0;

  constructor(options: ScriptWatchOptions) {
    this.#options = options;
  }

  get hasEndedAny(): boolean {
    return this.#ended > 0;
  }

  /** Whether the page is read as it is, since its scripts do not end. */
  get hasGivenUp(): boolean {
    return this.#ended >= PAGE_LIMITS.endedScripts;
  }

  /** Requests an answer of the page, and ends its script if none comes. Call it some times a second. */
  look(): void {
    const { send, cpuByProcess } = this.#options;
    if (this.#question === undefined) {
      if (performance.now() < this.#asksAt) return;
      const question = { askedAt: performance.now(), cpu: cpuByProcess() };
      this.#question = question;
      const answered = () => {
        if (this.#question !== question) return;
        this.#question = undefined;
        this.#asksAt = performance.now() + PAUSE_MS;
      };
      send('Runtime.evaluate', { expression: '0' }, ANSWER_MS).then(answered, answered);
      return;
    }
    const { askedAt, cpu } = this.#question;
    if (!isStuck(performance.now() - askedAt, mostUsedSince(cpu, cpuByProcess()))) return;
    this.#question = undefined;
    void this.end();
  }

  /** Ends the script that runs. */
  async end(): Promise<void> {
    const { send, onEnd } = this.#options;
    this.#ended++;
    const isLast = this.#ended === PAGE_LIMITS.endedScripts;
    // Timers would begin the script again while the page is read.
    const stopped = isLast ? send('Emulation.setVirtualTimePolicy', { policy: 'pause' }) : undefined;
    // A page that has ended needs no end of its scripts.
    await Promise.allSettled([send('Runtime.terminateExecution'), stopped]);
    onEnd();
  }
}
