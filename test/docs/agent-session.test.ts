import { readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { newHome } from '../cli/mcp/agent.ts';
import { guideSession } from '../cli/mcp/guide-session.ts';

const FILE = new URL('../../docs/agents.md', import.meta.url);

/** `STRAND_GOLDEN=write` writes the session again. */
test('the session in docs/agents.md is what a client gets', async () => {
  const { home, remove } = newHome();
  onTestFinished(remove);
  const session = await guideSession(home);
  const text = readFileSync(FILE, 'utf8');
  const [before, after] = [text.indexOf('```text\n') + '```text\n'.length, text.lastIndexOf('```')];
  const made = `${text.slice(0, before)}${session}\n${text.slice(after)}`;
  if (process.env.STRAND_GOLDEN === 'write') writeFileSync(FILE, made);
  expect(readFileSync(FILE, 'utf8')).toBe(made);
  expect(session).toContain('[-20-]{+22+}');
});
