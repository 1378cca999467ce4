import { expect, test } from 'vitest';
import { readText, WordHashes, wordsIn } from '../../../shared/core/content/text-measure.ts';
import { withoutUnseen } from '../../../shared/core/text/unseen-characters.ts';

const isHalf = (unit: number) => unit >= 0xd800 && unit < 0xe000;

test('each character counts as what Unicode says of it', () => {
  const hashes = new WordHashes();
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
    hashes.read(`a ${char} b`);
    const seen = isWhite || isUnseen ? 'a b' : `a ${char} b`;
    const isRight =
      JSON.stringify(counts) === JSON.stringify(expected) &&
      text === seen &&
      wordsIn(`a ${char} b`) === expected.words &&
      hashes.count === (is(/[\p{L}\p{N}]/u) ? 3 : 2);
    if (!isRight) wrong.push(`${unit.toString(16)} ${JSON.stringify([counts, text, hashes.count])}`);
  }
  expect(wrong).toEqual([]);
});
