/** The skill for agents: short, in the form that they read, and its commands run as they stand there. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { serveAnswers } from '../api/small-server.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SKILL = readFileSync(join(ROOT, 'packaging/skills/strand/SKILL.md'), 'utf8');
const COMMANDS = SKILL.split('\n').filter((line) => line.startsWith('strand '));

test('it has a name and a description, and fits a screen or two', () => {
  const [, name, description = ''] = /^---\nname: (.*)\ndescription: (.*)\n---\n/.exec(SKILL) ?? [];
  expect(name).toBe('strand');
  expect([description.length > 50, description.length <= 1024]).toEqual([true, true]);
  expect(SKILL.split('\n').length).toBeLessThanOrEqual(100);
});

const WORDS = 'To install the harbour, run one command and wait until the database is there. '.repeat(5);

test('its commands run, one after the other', async () => {
  const site = await serveAnswers('127.81.7.1', {
    '/': `<title>Docs</title><main><h1>Docs</h1><p>${WORDS}</p></main><a href="/install">Install</a>`,
    '/install': `<title>Install</title><main><h1>Install</h1><p>${WORDS}</p></main>`,
  });
  const folder = mkdtempSync(join(tmpdir(), 'strand-skill-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const asks = /^strand (?:read|map|crawl) /;
  expect(COMMANDS.length).toBeGreaterThan(7);
  for (const command of COMMANDS) {
    const words = command.replaceAll('https://docs.example.org', site).split(' ').slice(1);
    const here = asks.test(command) ? ['--allow-private-addresses', '--delay', '0'] : [];
    const child = spawn(process.execPath, [join(ROOT, 'cli/bin.js'), ...words, ...here], { cwd: folder });
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once('close', resolve)),
    ]);
    // A page that has not changed between two visits has no difference.
    const expected = command.startsWith('strand diff') ? expect.anything() : 0;
    expect([command, code, out + err]).toEqual([command, expected, expect.anything()]);
    if (/^strand (?:read|search)/.test(command)) expect(out).toMatch(/install/i);
  }
});
