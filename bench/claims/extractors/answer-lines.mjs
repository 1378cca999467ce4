import { createInterface } from 'node:readline';

/** Answers each line of standard input with the main content that `find` gives, and the CPU that it took. */
export async function answerLines(find) {
  for await (const question of createInterface({ input: process.stdin })) {
    const { id, html, url } = JSON.parse(question);
    const bytes = Buffer.from(html, 'base64');
    const before = process.cpuUsage();
    let text = '';
    try {
      text = await find(bytes, url);
    } catch {
      // A page that it cannot read has no main content.
    }
    const { user, system } = process.cpuUsage(before);
    const answer = JSON.stringify({ id, text, cpuMs: (user + system) / 1000 });
    // The reader of lines takes these characters for the end of one, too.
    const line = answer.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
    process.stdout.write(`${line}\n`);
  }
}

/** The text of the HTML that an extractor gives, with a space where a block ends: words of two paragraphs are two words. */
export function textOf(html, parseHTML) {
  const spaced = html.replace(
    /<(?:\/(?:p|div|li|dt|dd|h\d|t[dhr]|pre|blockquote|section|figcaption)|br)\b/gi,
    ' $&',
  );
  return parseHTML(`<!DOCTYPE html><html><body>${spaced}</body></html>`).document.body.textContent;
}
