import { expect, test } from 'vitest';
import { readText, WordHashes, wordsIn } from '../../../shared/core/content/text-measure.ts';
import { withoutUnseen } from '../../../shared/core/text/unseen-characters.ts';

const isHalf = (unit: number) => unit >= 0xd800 && unit < 0xe000;

test('each character counts as what Unicode says of it', () => {
  const wrong: string[] = [];
  for (let unit = 0; unit < 0x10000; unit++) {
    const char = String.fromCharCode(unit);
    const isWhite = /\s/.test(char);
    const isUnseen = !isWhite && withoutUnseen(char) === '';
    const { text, counts } = readText(`a ${char} b`);
    const is = (kind: RegExp) => (!isWhite && !isUnseen && kind.test(char) ? 1 : 0);
    const isWord = isHalf(unit) || is(/[\p{L}\p{N}_]/u) === 1;
    const expected = {
      words: isWord ? 3 : 2,
      sentences: is(/[.!?。！？؟]/),
      commas: is(/[,;،、]/),
      digits: is(/\p{N}/u),
      capitals: is(/\p{Lu}/u),
    };
    const hashes = hashesOf(`a ${char} b`);
    const seen = isWhite || isUnseen ? 'a b' : `a ${char} b`;
    const isRight =
      JSON.stringify(counts) === JSON.stringify(expected) &&
      text === seen &&
      wordsIn(`a ${char} b`) === expected.words &&
      hashes.length === (is(/[\p{L}\p{N}]/u) ? 3 : 2);
    if (!isRight) wrong.push(`${unit.toString(16)} ${JSON.stringify([counts, text, hashes.length])}`);
  }
  expect(wrong).toEqual([]);
});

test('the words of a text that is measured are hashed in lower case, whatever characters they have', () => {
  const wrong: string[] = [];
  for (let unit = 0; unit < 0x10000; unit++) {
    const given = `a${String.fromCharCode(unit)}B ${String.fromCharCode(unit)} c`;
    const measured = new WordHashes();
    const { text } = readText(given, measured);
    if (String(hashesOf(text)) !== String(listOf(measured))) wrong.push(unit.toString(16));
  }
  expect(wrong).toEqual([]);
});

test.each([
  'One two THREE, \u00c9t\u00e9 na\u00efve',
  'snake_case and soft\u00adhyphens',
  '\u039f\u0394\u039f\u03a3 \u03a3 \u0130stanbul',
  '\u{1d49c} \u{1f600} x',
  '\u0e01\u200b\u0e02 a\u200bb',
])('the hashes of %j are those of its text', (given) => {
  const measured = new WordHashes();
  const { text } = readText(`before ${given} behind`, measured);
  expect(listOf(measured)).toEqual(hashesOf(text));
});

function hashesOf(text: string): number[] {
  const words = new WordHashes();
  words.read(text);
  return listOf(words);
}

const listOf = ({ hashes, count }: WordHashes): number[] => Array.from(hashes.subarray(0, count));
