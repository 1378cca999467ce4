import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Answer } from './question.ts';

const ADAPTER = fileURLToPath(new URL('./adapter.ts', import.meta.url));

const start = () => spawn(process.execPath, [ADAPTER], { stdio: ['pipe', 'pipe', 'inherit'] });
let adapter: ReturnType<typeof start>;

beforeEach(() => {
  adapter = start();
});

afterEach(() => {
  adapter.kill();
});

/** Writes the lines as pieces of their bytes, and reads to the end. */
async function exchange(lines: readonly string[], pieceBytes = 1_000_000): Promise<Answer[]> {
  const input = Buffer.from(lines.join('\n'));
  for (let at = 0; at < input.length; at += pieceBytes)
    adapter.stdin.write(input.subarray(at, at + pieceBytes));
  adapter.stdin.end();
  let text = '';
  adapter.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [code] = await once(adapter, 'close');
  expect(code).toBe(0);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('the adapter answers each line by one, in order, under its id', async () => {
  const lines = Array.from({ length: 2000 }, (_, id) =>
    JSON.stringify({ id, op: 'registrable_domain', host: `h${id}.example.co.uk` }),
  );
  const answers = await exchange(lines, 1000);
  expect(answers.map(({ id }) => id)).toEqual(lines.map((_, id) => id));
  expect(new Set(answers.map(({ domain }) => domain))).toEqual(new Set(['example.co.uk']));
});

test('the adapter answers a question while it waits for more', async () => {
  adapter.stdin.write('{"id":1,"op":"robots_url","url":"http://a.test/b"}\n');
  const [chunk] = await once(adapter.stdout.setEncoding('utf8'), 'data');
  expect(JSON.parse(chunk)).toEqual({ id: 1, robots_url: 'http://a.test/robots.txt' });
});

test('lines that are no questions, and inputs that are none, are answered with an error; the rest is not touched', async () => {
  const answers = await exchange([
    '{"id":1,"op":"robots_url"',
    '',
    '[]',
    'null',
    '{"id":2,"op":"toString","url":"x"}',
    '{"id":3}',
    '{"id":4,"op":"links","html":7,"url":"http://a.test/"}',
    '{"id":5,"op":"robots_fetch","start":"mailto:a"}',
    '{"id":6,"op":"canon","profile":"toString","url":"http://a.test/"}',
    '{"op":"robots_url","url":"http://a.test/\u2028"}',
    '\u{1F578}',
    '{"id":"é","op":"robots_url","url":"gopher:x"}',
  ]);
  expect(answers.map(({ id }) => id)).toEqual([null, null, null, 2, 3, 4, 5, 6, null, null, 'é']);
  expect(
    answers
      .map((answer) => 'error' in answer)
      .map(Number)
      .join(''),
  ).toBe('11111111010');
  expect(answers[8]).toEqual({ id: null, robots_url: 'http://a.test/robots.txt' });
  expect(answers[10]).toEqual({ id: 'é', robots_url: null });
});
