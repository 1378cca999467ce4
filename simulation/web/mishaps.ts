/** The effects of the world's faults on a request, on top of the web's own nature. */
import type { Faults } from '../models/faults.ts';
import { pick, type Random } from '../models/random.ts';
import { type Answer, errorResponse, type Responded, spoil } from './responses.ts';

/** Returns `answer` as the faults of the moment change it. */
export type Mishaps = (host: string, answer: Answer) => Answer;

const MAX_NAMELESS_MS = 60_000;
const NAMELESS_MS = 20;

export function createMishaps(faults: Faults, now: () => number): Mishaps {
  /** Hosts whose name does not resolve until then. */
  const nameless = new Map<string, number>();

  function isNameless(host: string): boolean {
    const until = nameless.get(host);
    if (until !== undefined && now() < until) return true;
    nameless.delete(host);
    if (!faults.strikes('dnsFails')) return false;
    nameless.set(host, now() + Math.ceil(faults.random('dnsFails') ** 2 * MAX_NAMELESS_MS));
    return true;
  }

  return (host, answer) => {
    // A fault that changes nothing would be counted for nothing.
    if (answer.kind === 'failed') return answer;
    if (isNameless(host)) return { kind: 'failed', reason: 'dns', afterMs: NAMELESS_MS };
    if (!faults.strikes('httpFails')) return answer;
    const random = () => faults.random('httpFails');
    return pick(random, WAYS)(answer, random);
  };
}

type Way = (answer: Responded, random: Random) => Answer;

const WAYS: readonly Way[] = [
  () => ({ kind: 'failed', reason: 'connect', afterMs: 3 }),
  ({ headMs }) => ({ kind: 'failed', reason: 'reset', afterMs: headMs }),
  () => ({ kind: 'failed', reason: 'reset', afterMs: 1, isStaleConnection: true }),
  () => ({ kind: 'failed', reason: 'timeout', afterMs: Number.POSITIVE_INFINITY }),
  ({ headMs }) => ({ kind: 'failed', reason: 'protocol', afterMs: headMs }),
  (answer, random) => cut(answer, random, true),
  (answer, random) => cut(answer, random, false),
  ({ headMs }) => errorResponse(500, headMs),
  ({ headMs }) => errorResponse(502, headMs),
  ({ headMs }, random) => errorResponse(503, headMs, Math.floor(random() * 10)),
  ({ headMs }) => errorResponse(503, headMs),
  // A status that HTTP does not define.
  ({ headMs }) => errorResponse(799, headMs),
];

function cut(answer: Responded, random: Random, isEnd: boolean): Answer {
  const { length } = answer.body;
  if (length === 0) return spoil(answer, 'reset');
  return { ...answer, cut: { bytes: Math.floor(random() * length), isEnd } };
}
