/**
 * Answers the questions of the conformance cases: a JSON line in, a JSON line out, in the same order, until
 * the input ends. To be run by the cases' own runner:
 *
 *     python3 ../shared/conformance/run_cases.py --tier must ../shared/conformance/robots/*.jsonl -- node test/conformance/adapter.ts
 */
import { once } from 'node:events';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { answerTo } from './operations.ts';
import { type Answer, isObject } from './question.ts';

for await (const line of linesOf(process.stdin)) {
  if (line.trim() === '') continue;
  if (!process.stdout.write(`${JSON.stringify(await answerToLine(line))}\n`))
    await once(process.stdout, 'drain');
}

/** A line that is no question is answered, too, so that answers and lines stay in step. */
async function answerToLine(line: string): Promise<Answer> {
  let question: unknown;
  try {
    question = JSON.parse(line);
  } catch (error) {
    return { id: null, error: `Expected a line of JSON: ${messageOf(error)}` };
  }
  if (!isObject(question)) return { id: null, error: 'Expected a JSON object' };
  return { id: question.id ?? null, ...(await answerTo(question)) };
}

/** Split at line feeds alone: `node:readline` would also split at U+2028, which JSON may hold. */
async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  input.setEncoding('utf8');
  let pieces: string[] = [];
  for await (const chunk of input) {
    const [first = '', ...more] = String(chunk).split('\n');
    pieces.push(first);
    for (const piece of more) {
      yield pieces.join('');
      pieces = [piece];
    }
  }
  if (pieces.length > 0) yield pieces.join('');
}
