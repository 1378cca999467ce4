import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completionScript, SHELLS } from '../../cli/completion.ts';
import { TABLE, VERBS } from '../../cli/verbs.ts';
import { optionsOf } from './commands.ts';

const COMMANDS = VERBS.map((name) => ({ name, summary: TABLE[name].summary, options: optionsOf(name) }));

/** Returns the words that bash offers after these words, the last of which is being typed. */
function offered(...words: string[]): string[] {
  const typed = ['strand', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${completionScript('bash', COMMANDS)}
COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _strand; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-uc', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

test.each<[string[], string[]]>([
  [['re'], ['resume', 'report', 'read']],
  [['crawl', '--max-d'], ['--max-depth']],
  [
    ['crawl', 'https://example.org/', '--scope', ''],
    ['page', 'prefix', 'host', 'domain', 'any'],
  ],
  [
    ['crawl', '--scope', 'host', '--max-pag'],
    ['--max-pages', '--max-pages-per-host', '--max-pages-per-template'],
  ],
  [['--stack', 'Data/News', 'pau'], ['pause']],
  [['crawl', '--adap'], ['--adaptive']],
  [['crawl', '--no-adap'], ['--no-adaptive']],
  // Files, which the shell completes itself.
  [['crawl', 'https'], []],
  [['crawl', '--seeds', ''], []],
])('bash completes %j as %j', (words, expected) => {
  expect(offered(...words)).toEqual(expected);
});

test.each(SHELLS)('the script of %s has each command and each option', (shell) => {
  const script = completionScript(shell, COMMANDS);
  for (const verb of VERBS) {
    expect(script).toContain(verb);
    for (const { name } of optionsOf(verb))
      expect(script).toContain(shell === 'fish' ? `-l ${name}` : `--${name}`);
  }
});

test.each(['zsh', 'fish'] as const)('%s reads its script, if this machine has it', (shell) => {
  if (spawnSync(shell, ['--version']).error) return;
  const folder = mkdtempSync(join(tmpdir(), 'strand-completion-'));
  const file = join(folder, 'script');
  writeFileSync(file, completionScript(shell, COMMANDS));
  expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  rmSync(folder, { recursive: true });
});
