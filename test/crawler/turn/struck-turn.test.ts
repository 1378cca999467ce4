/** Turns, and pieces of them, of which each call to a port fails in turn. */
import { expect, test } from 'vitest';
import { strikeEach } from './struck-turn.ts';
import { WORKS } from './turn-works.ts';

test.each(WORKS)('%s awaits each call, and fails if one does', async (_name, work) => {
  const made = await strikeEach(work);
  expect(made.length).toBeGreaterThan(0);
});
