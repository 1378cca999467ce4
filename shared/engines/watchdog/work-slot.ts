/** Shared memory in which a thread says that it is alive, and what it works on right now. */
import { readFileSync, readlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { PAGE_STEPS } from '../../core/causes/cause.ts';
import type { PageTask, PageWork } from '../../crawler/turn/page/page-work.ts';

/**
 * The first words: how often the thread has reported that it is alive; the task's step, 0 for none; how many
 * tasks have begun; hooks in progress; the system's number of the thread, 0 if it is unknown.
 */
const [BEATS, STEP, TASKS, HOOKS, CRAWL_BYTES, URL_BYTES, THREAD, WORDS] = [0, 1, 2, 3, 4, 5, 6, 8];
const HEADER_BYTES = (WORDS as number) * Int32Array.BYTES_PER_ELEMENT;
/** A longer name or URL is not noted: the task counts as unknown. */
const TEXT_BYTES = 16 * 1024;
/** How often a thread says that it is alive. */
const BEAT_MS = 250;

export type SlotMemory = SharedArrayBuffer;

export const slotMemory = (): SlotMemory => new SharedArrayBuffer(HEADER_BYTES + TEXT_BYTES);

export interface WorkSlot extends PageWork {
  /** Ends the thread's signs of life. */
  end(): void;
}

/** Writes to the slot: for the thread that is watched. Shows from now on that the thread is alive. */
export function writeSlot(memory: SlotMemory): WorkSlot {
  const words = new Int32Array(memory, 0, WORDS);
  const bytes = new Uint8Array(memory, HEADER_BYTES);
  const encoder = new TextEncoder();
  let lastCrawl = '';
  let lastUrl = '';

  function write(crawl: string, url: string): void {
    if (url === lastUrl && crawl === lastCrawl) return;
    const name = encoder.encodeInto(crawl, bytes);
    const text = encoder.encodeInto(url, bytes.subarray(name.written));
    const fits = name.read === crawl.length && text.read === url.length;
    words[CRAWL_BYTES!] = fits ? name.written : 0;
    words[URL_BYTES!] = fits ? text.written : 0;
    lastCrawl = crawl;
    lastUrl = url;
  }

  words[THREAD!] = threadNumber();
  const beating = setInterval(() => Atomics.add(words, BEATS!, 1), BEAT_MS).unref();
  Atomics.add(words, BEATS!, 1);
  return {
    run(crawl, url, step, work) {
      write(crawl, url);
      Atomics.add(words, TASKS!, 1);
      Atomics.store(words, STEP!, 1 + PAGE_STEPS.indexOf(step));
      try {
        return work();
      } finally {
        Atomics.store(words, STEP!, 0);
      }
    },
    beginHook() {
      Atomics.add(words, HOOKS!, 1);
      return () => void Atomics.sub(words, HOOKS!, 1);
    },
    pause: () => setImmediate(),
    cpuMs() {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    },
    end: () => clearInterval(beating),
  };
}

export interface SlotReader {
  /** Changes while the thread is alive and not blocked. */
  beats(): number;
  /** Changes when a task begins. */
  tasks(): number;
  /**
   * Returns the page that the thread works on, if it works on one. Exact only while the thread is blocked or
   * dead.
   */
  task(): PageTask | undefined;
  /** Whether hooks are in progress: a block may be in a later part of a hook. */
  hasHooks(): boolean;
  /** For how long in all the thread was ready to run, and others had the CPUs; in ms. Undefined: the system does not say. */
  starvedMs(): number | undefined;
}

export function readSlot(memory: SlotMemory): SlotReader {
  const words = new Int32Array(memory, 0, WORDS);
  const decode = (from: number, length: number) =>
    // A copy, since shared memory cannot be decoded.
    Buffer.from(new Uint8Array(memory.slice(HEADER_BYTES + from, HEADER_BYTES + from + length))).toString();
  return {
    beats: () => Atomics.load(words, BEATS!),
    tasks: () => Atomics.load(words, TASKS!),
    hasHooks: () => Atomics.load(words, HOOKS!) > 0,
    starvedMs: () => starvedMsOf(Atomics.load(words, THREAD!)),
    task() {
      const step = PAGE_STEPS[Atomics.load(words, STEP!) - 1];
      const [crawlBytes, urlBytes] = [words[CRAWL_BYTES!]!, words[URL_BYTES!]!];
      if (step === undefined || urlBytes === 0) return undefined;
      return { crawl: decode(0, crawlBytes), url: decode(crawlBytes, urlBytes), step };
    },
  };
}

/** The number of this thread, on Linux. */
function threadNumber(): number {
  try {
    // As `PROCESS/task/THREAD`.
    return Number(readlinkSync('/proc/thread-self').split('/')[2] ?? 0);
  } catch {
    return 0;
  }
}

/** The second number of the file, in ns (kernel documentation, "Scheduler Statistics"). */
function starvedMsOf(thread: number): number | undefined {
  if (thread === 0) return undefined;
  try {
    const [, ns] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ');
    return Number(ns) / 1e6;
  } catch {
    return undefined;
  }
}
