/** Threat: bytes of a page, an archive or a crawl's folder are obeyed by the operator's terminal, or hide what is printed. */
import { describe, expect, test } from 'vitest';
import { createDrawnLine } from '../../cli/drawn-line.ts';
import { toned } from '../../cli/format.ts';
import { guardTerminal, safeOnTerminal } from '../../cli/safe-terminal.ts';
import { printable, printableLines } from '../../shared/core/text/printable.ts';

const BAD: Readonly<Record<string, string>> = {
  'a title of the window (OSC 0)': '\u001b]0;owned\u0007',
  'a link (OSC 8)': '\u001b]8;;https://evil.test/\u001b\\shown\u001b]8;;\u001b\\',
  'the clipboard (OSC 52)': '\u001b]52;c;ZWNobw==\u0007',
  'a movement of the cursor': '\u001b[2A\u001b[1G',
  'an erased screen': '\u001b[2J',
  'hidden text (SGR 8)': '\u001b[8m',
  'a report of its state': '\u001b[6n\u001bZ',
  'a device control string': '\u001bP$q"p\u001b\\',
  'a sequence of C1': '\u009b31m\u009d0;x\u009c',
  'a return over the line': 'good\rbad',
  'a backspace': 'bad\b\b\bgood',
  'DEL and NUL': '\u007f\u0000',
  'overrides of direction': '\u202egpj.exe\u2066x\u2069',
  'marks of direction': '\u200e\u200f\u061c',
  'zero width': '\u200b\u2060\ufeff',
  tags: '\u{e0041}\u{e007f}',
  separators: '\u2028\u2029',
};
/** Scripts and emoji that need joiners, and what is merely unusual. */
const GOOD = [
  'caf\u00e9 \u6587 \ud83d\ude00',
  '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
  '\ud83d\udc69\u200d\ud83d\ude80',
  'e\u0301',
  '\u00a0',
];

/** Characters that a terminal still obeys or hides. Written by hand, so that it is not the program's own expression. */
const obeyed = (text: string): string[] =>
  [...text].filter((character) => {
    const code = character.codePointAt(0) as number;
    return (
      (code < 32 && character !== '\n' && character !== '\t') ||
      (code >= 127 && code < 160) ||
      [0x61c, 0x200b, 0x200e, 0x200f, 0xfeff].includes(code) ||
      (code >= 0x2028 && code <= 0x202e) ||
      (code >= 0x2060 && code <= 0x2069) ||
      (code >= 0xe0000 && code <= 0xe007f)
    );
  });

describe.each(Object.entries(BAD))('%s', (_, text) => {
  test.each([
    ['in a name', printable],
    ['in lines', printableLines],
    ['in all that is written', safeOnTerminal],
  ])('%s is replaced', (_, safe) => {
    expect(obeyed(safe(`a${text}b`))).toEqual([]);
    expect(safe(`a${text}b`)).toMatch(/^a.*b$/s);
  });
});

test.each(GOOD)('%s is printed as it is', (text) => {
  for (const safe of [printable, printableLines, safeOnTerminal]) expect(safe(text)).toBe(text);
});

/** A stream that is guarded, and what came through. */
function guarded(isTTY: boolean) {
  const written: unknown[] = [];
  const stream = {
    isTTY,
    columns: 80,
    write: (...given: unknown[]) => written.push(...given.slice(0, 1)) > 0,
  } as unknown as NodeJS.WriteStream;
  guardTerminal(stream);
  return { stream, written, text: () => written.join('') };
}

describe('a guarded terminal', () => {
  test('shows what this program draws: tones, the live line, lines and tabs', () => {
    const { stream, text } = guarded(true);
    const tones = (['bold', 'dim', 'red', 'green', 'yellow'] as const).map((tone) => toned('x', tone, true));
    for (const tone of tones) stream.write(tone);
    stream.write('a\tb\r\nc\n');
    const line = createDrawnLine(stream, {});
    line.draw([{ text: 'live', rank: 0 }]);
    line.done();
    expect(text()).toBe(`${tones.join('')}a\tb\r\nc\n\r\u001b[Klive\r\u001b[K`);
  });

  test('gets bytes as text, also where a character is cut, and calls back', () => {
    const { stream, text } = guarded(true);
    const bytes = Buffer.from('é\u001b]0;x\u0007文');
    for (const byte of bytes) stream.write(Buffer.from([byte]));
    expect(text()).toBe('é\ufffd]0;x\ufffd文');
    let called = 0;
    const real = {
      isTTY: true,
      write(_: string, done?: () => void) {
        done?.();
        return true;
      },
    } as unknown as NodeJS.WriteStream;
    guardTerminal(real);
    real.write('x', 'utf8', () => called++);
    real.write('x', () => called++);
    expect(called).toBe(2);
  });

  test('a file or a pipe gets the bytes as they are', () => {
    const { stream, written } = guarded(false);
    const bytes = Buffer.from(Object.values(BAD).join(''));
    stream.write(bytes);
    expect(written).toEqual([bytes]);
  });
});
