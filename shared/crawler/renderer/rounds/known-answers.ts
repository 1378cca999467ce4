import { memoryBody } from '../../../core/outcome/memory-body.ts';
import { fieldValues } from '../../../core/outcome/response-head.ts';
import { decodeBody } from '../../../core/parser/decode-body.ts';
import { PAGE_LIMITS } from '../../../core/render/page-limits.ts';
import { changedParts, partKeys } from '../../../core/render/part-key.ts';
import type { PartRequest } from '../../ports/renderer.ts';
import type { KnownAnswer } from './round-messages.ts';

type Answer = KnownAnswer['answer'];

/** The answers of earlier rounds. Each is given once: a page that repeats a request wants what came for it then. */
export class KnownAnswers {
  readonly #exact = new Map<string, KnownAnswer[]>();
  readonly #steady = new Map<string, KnownAnswer[]>();
  readonly #given = new Set<KnownAnswer>();
  readonly #now: number;

  constructor(answers: readonly KnownAnswer[], now: number) {
    this.#now = now;
    for (const known of answers) {
      const { exact, steady } = partKeys(known.request, now);
      append(this.#exact, exact, known);
      append(this.#steady, steady, known);
    }
  }

  get used(): number {
    return this.#given.size;
  }

  /** Undefined: no answer is known. */
  async take(request: PartRequest): Promise<Answer | undefined> {
    const { exact, steady } = partKeys(request, this.#now);
    const known = this.#next(this.#exact.get(exact)) ?? this.#next(this.#steady.get(steady));
    if (known === undefined) return undefined;
    this.#given.add(known);
    return known.request.url === request.url ? known.answer : changed(known, request.url);
  }

  #next(all: readonly KnownAnswer[] = []): KnownAnswer | undefined {
    return all.find((known) => !this.#given.has(known));
  }
}

function append(map: Map<string, KnownAnswer[]>, key: string, known: KnownAnswer): void {
  const all = map.get(key);
  if (all === undefined) map.set(key, [known]);
  else all.push(known);
}

/** A script that calls a function which the URL names (JSONP) gets the name of this round. */
async function changed({ request, answer }: KnownAnswer, url: string): Promise<Answer> {
  if (answer.status !== 'response' || !isScript(answer)) return answer;
  const coding = fieldValues(answer.headers, 'content-encoding').join(', ');
  let text = Buffer.from(decodeBody(await answer.body.bytes(), coding, PAGE_LIMITS.partBytes)).toString(
    'latin1',
  );
  for (const [before, now] of changedParts(request.url, url)) text = text.replaceAll(before, now);
  const headers = answer.headers.filter(([name]) => name.toLowerCase() !== 'content-encoding');
  return { ...answer, headers, body: memoryBody(Buffer.from(text, 'latin1')) };
}

const isScript = ({ headers }: Extract<Answer, { readonly status: 'response' }>): boolean =>
  /javascript/i.test(fieldValues(headers, 'content-type').at(-1) ?? '');
