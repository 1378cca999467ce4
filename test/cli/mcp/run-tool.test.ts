import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createRunTool } from '../../../cli/mcp/run-tool.ts';
import type { Session } from '../../../cli/mcp/session.ts';
import { type Call, tool } from '../../../cli/mcp/tool.ts';
import { ToolError } from '../../../cli/mcp/tool-error.ts';

afterEach(() => void vi.useRealTimers());

const toolOf = (run: (input: unknown, call: Call) => Promise<Record<string, unknown>>) =>
  tool({
    name: 'a',
    title: 'A',
    description: 'A.',
    kind: 'read',
    input: z.unknown(),
    output: z.object({}),
    run,
  });

const textOf = ({ content }: { content: readonly unknown[] }) => (content[0] as { text: string }).text;
const session = {} as Session;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('four calls run at once, and the others wait for them', async () => {
  const ends: (() => void)[] = [];
  const run = createRunTool(session, () => {});
  const slow = toolOf(() => new Promise((resolve) => ends.push(() => resolve({ ok: true }))));
  const calls = Array.from({ length: 10 }, () => run(slow, {}));
  await turn();
  expect(ends).toHaveLength(4);
  for (let n = 0; n < 10; n++) {
    ends[n]!();
    await turn();
    expect(ends.length).toBe(Math.min(10, n + 5));
  }
  expect((await Promise.all(calls)).every(({ isError }) => !isError)).toBe(true);
});

test('a call ends after 30 s with what to do, and its work is asked to stop', async () => {
  vi.useFakeTimers();
  const run = createRunTool(session, () => {});
  let stopped = false;
  const endless = toolOf(
    (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          stopped = true;
        });
      }),
  );
  const call = run(endless, {});
  await vi.advanceTimersByTimeAsync(29_999);
  expect(stopped).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(textOf(await call)).toMatch(/^timeout: It took longer than 30 s\. Ask again/);
  expect(stopped).toBe(true);
});

test('calls are refused while 200 others wait', async () => {
  const run = createRunTool(session, () => {});
  const endless = toolOf(() => new Promise(() => {}));
  for (let n = 0; n < 204; n++) void run(endless, {});
  expect(textOf(await run(endless, {}))).toMatch(/^busy: /);
});

test('a call that its client cancels is answered at once', async () => {
  const run = createRunTool(session, () => {});
  const client = new AbortController();
  const call = run(
    toolOf(() => new Promise(() => {})),
    {},
    client.signal,
  );
  client.abort();
  expect(textOf(await call)).toMatch(/^cancelled/);
});

test('a refusal is in the answer, and of another error its kind alone: the log has the rest', async () => {
  const log: string[] = [];
  const run = createRunTool(session, (line) => log.push(line));
  const refused = toolOf(() => Promise.reject(new ToolError('unknownUrl', 'Read another page.')));
  expect(await run(refused, {})).toEqual({
    isError: true,
    content: [{ type: 'text', text: 'unknownUrl: Read another page.' }],
  });
  const failed = toolOf(() => Promise.reject(new TypeError('/home/me/secret')));
  const text = textOf(await run(failed, {}));
  expect(text).toMatch(/^failed: a failed \(TypeError\)\. .*log/);
  expect(text).not.toContain('secret');
  expect(log).toEqual(['a: /home/me/secret']);
});

test('an answer with marked text says that it is not to be trusted', async () => {
  const run = createRunTool(session, () => {});
  const marked = await run(
    toolOf(async (_, { mark }) => ({ title: mark('x') })),
    {},
  );
  expect(marked.structuredContent).toMatchObject({ untrusted: true });
  expect(JSON.parse(textOf(marked))).toEqual(marked.structuredContent);
  expect(
    (
      await run(
        toolOf(async () => ({ n: 1 })),
        {},
      )
    ).structuredContent,
  ).toEqual({ n: 1 });
});
