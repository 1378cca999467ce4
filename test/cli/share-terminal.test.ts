import { expect, test } from 'vitest';
import { createDrawnLine } from '../../cli/drawn-line.ts';
import { type SharedStream, shareTerminal } from '../../cli/share-terminal.ts';

/** A terminal: what is on it, line by line; a line is erased as ECMA-48 says. */
function terminal() {
  let text = '';
  const write = (chunk: unknown) => {
    text += String(chunk);
    return true;
  };
  const lines = () =>
    text.split('\n').map((line) => line.slice(line.lastIndexOf('\x1b[K') + 1).replace('[K', ''));
  return { stream: { isTTY: true, columns: 80, write } as SharedStream, lines };
}

const part = (text: string) => [{ text, rank: 0 }];

test('what a hook writes stands on lines of its own, and the drawn line comes after it', () => {
  const { stream, lines } = terminal();
  const own = { isTTY: true, columns: 80, write: stream.write };
  const line = createDrawnLine(own, {});
  const end = shareTerminal([stream], line);
  line.draw(part('1 page'));
  stream.write('a hook says\n');
  line.draw(part('2 pages'));
  stream.write('no line break');
  line.draw(part('3 pages'));
  line.log('a line');
  expect(lines()).toEqual(['a hook says', 'no line break', 'a line', '3 pages']);
  end();
  stream.write('x');
  line.done();
  expect(lines().at(-1)).toBe('');
});

test('what goes to a file or a pipe is not touched', () => {
  const written: unknown[] = [];
  const stream = { isTTY: false, write: (chunk: unknown) => written.push(chunk) > 0 } as SharedStream;
  const before = stream.write;
  shareTerminal([stream], { interject: () => written.push('interjected') });
  expect(stream.write).toBe(before);
});
