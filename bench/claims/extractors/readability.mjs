import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { answerLines, textOf } from './answer-lines.mjs';

await answerLines((bytes) => {
  const { document } = parseHTML(new TextDecoder().decode(bytes));
  return textOf(new Readability(document).parse()?.content ?? '', parseHTML);
});
