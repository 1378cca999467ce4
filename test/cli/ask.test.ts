import { expect, test } from 'vitest';
import { askCommand } from '../../cli/ask.ts';
import { parsed } from './commands.ts';

/** Answers the questions in this order. */
async function asked(answers: readonly string[], project = {}) {
  const left = [...answers];
  const said: string[] = [];
  const words = await askCommand(
    async () => left.shift() ?? Promise.reject(new Error('no answer is left')),
    project,
    (line) => said.push(line),
  );
  expect(left).toEqual([]);
  return { words, said };
}

test.each<[answers: string[], line: string]>([
  [
    ['example.org', '', '', 'me@example.org'],
    'crawl https://example.org/ --max-pages 100 --contact me@example.org',
  ],
  [['localhost:8080', 'my', '20'], 'crawl http://localhost:8080/ --out my --max-pages 20'],
  [['localhost', '', ' 10m '], 'crawl http://localhost/ --max-time 10m'],
  [['localhost', 'stack:Strand', '$5'], '--stack Strand crawl http://localhost/ --watch --max-cost 5'],
])('the answers %j make a command that can be run', async (answers, line) => {
  const { words, said } = await asked(answers);
  expect(words.join(' ')).toBe(line);
  expect(said).toEqual([]);
  expect(await parsed(words)).toMatchObject({ verb: 'crawl' });
});

test('nobody is asked for a contact that the project has', async () => {
  const { words } = await asked(['example.org', '', '5'], { contact: 'me@example.org' });
  expect(words).toEqual(['crawl', 'https://example.org/', '--max-pages', '5']);
});

test('an answer that cannot be used is asked for again, with the reason', async () => {
  const answers = ['ftp://a', 'example.org', 'stack:', '', '$5', '0', '7', 'nobody', 'me@example.org'];
  const { words, said } = await asked(answers);
  expect(words).toEqual(['crawl', 'https://example.org/', '--max-pages', '7', '--contact', 'me@example.org']);
  expect(said).toHaveLength(5);
});
