import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
import { answerLines, textOf } from './answer-lines.mjs';

// It reports on the console what it removes.
console.log = console.warn = console.error = () => {};

await answerLines(async (bytes, url) => {
  const { document } = parseHTML(new TextDecoder().decode(bytes));
  const { content } = await Defuddle(document, url);
  return textOf(content, parseHTML);
});
