import { expect, test } from 'vitest';
import { guardOutput } from '../../../shared/services/hooks/guard-output.ts';
import { inHook } from '../../../shared/services/project/hook-context.ts';

function outputs() {
  const out: unknown[] = [];
  const err: unknown[] = [];
  const streamTo = (chunks: unknown[]) => ({
    write: (chunk: unknown, ...rest: unknown[]) => {
      chunks.push(chunk);
      (rest.at(-1) as (() => void) | undefined)?.();
      return true;
    },
  });
  const stdout = streamTo(out) as unknown as NodeJS.WriteStream;
  const stderr = streamTo(err) as unknown as NodeJS.WriteStream;
  guardOutput(stdout, stderr);
  return { stdout, stderr, out, err };
}

const CALL = { source: 'onPage', url: 'https://a.test/' } as const;

test('what a hook prints goes to standard error, escaped; what other code prints goes where it did', async () => {
  const { stdout, stderr, out, err } = outputs();
  stdout.write('a\u001b\n');
  inHook(CALL, () => {
    stdout.write('{"url":"forged"}\n\u001b]0;x\u0007\n');
    stderr.write(Buffer.from('\u009bm\n'));
  });
  await inHook(CALL, async () => {
    await null;
    await new Promise<void>((resolve) => stdout.write('later', 'utf8', () => resolve()));
  });
  stderr.write('b');
  expect(out).toEqual(['a\u001b\n']);
  expect(err).toEqual(['{"url":"forged"}\n\ufffd]0;x\ufffd\n', '\ufffdm\n', 'later', 'b']);
});
