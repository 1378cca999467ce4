import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  CHANGES_SCHEMA,
  createChangeStage,
  dropUncommitted,
  openChangeOutbox,
} from '../../../../shared/engines/local/items/change-outbox.ts';

function open() {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE heads (crawl TEXT, host TEXT, version INTEGER, PRIMARY KEY (crawl, host))');
  database.exec(CHANGES_SCHEMA);
  const commit = (host: string, version: number) =>
    database.prepare('INSERT OR REPLACE INTO heads VALUES (?, ?, ?)').run('c', host, version);
  return { database, commit, stage: createChangeStage(database).stage, outbox: openChangeOutbox(database) };
}

/** Takes all that there is. */
function drain(outbox: ReturnType<typeof openChangeOutbox>): string[][] {
  const events: string[][] = [];
  for (let next = outbox.next('c'); next; next = outbox.next('c')) {
    events.push([...next.lines]);
    outbox.remove(next);
  }
  return events;
}

test('a change counts when its turn is committed, and until it was received', async () => {
  const { stage, commit, outbox } = open();
  await stage('c', 'a.test', 1, ['1', '2']);
  expect(outbox.next('c')).toBeUndefined();
  commit('a.test', 1);
  expect(outbox.next('c')?.lines).toEqual(['1', '2']);
  expect(outbox.next('c')?.lines, 'not received').toEqual(['1', '2']);
  expect(drain(outbox)).toEqual([['1', '2']]);
  expect(outbox.next('c')).toBeUndefined();
});

test('the changes of an attempt that was discarded are replaced by those of the next one', async () => {
  const { stage, commit, outbox } = open();
  await stage('c', 'a.test', 1, ['discarded']);
  await stage('c', 'a.test', 1, ['committed']);
  commit('a.test', 1);
  await stage('c', 'a.test', 1, ['too late']);
  await stage('c', 'b.test', 1, ['discarded']);
  await stage('c', 'b.test', 1, []);
  commit('b.test', 1);
  expect(drain(outbox)).toEqual([['committed']]);
});

test('changes of many turns are put together, up to a hundred, each once and in order', async () => {
  const { stage, commit, outbox } = open();
  const lines = Array.from({ length: 730 }, (_, i) => String(i));
  for (let at = 0, version = 1; at < lines.length; version++) {
    const to = at + ((version * 37) % 250);
    await stage('c', 'a.test', version, lines.slice(at, to));
    at = to;
    commit('a.test', version);
  }
  const events = drain(outbox);
  expect(events.flat()).toEqual(lines);
  expect(Math.max(...events.map(({ length }) => length))).toBeLessThanOrEqual(100);
  expect(events.length).toBeLessThan(15);
});

test('opening a folder drops what was never committed', async () => {
  const { database, stage, commit, outbox } = open();
  await stage('c', 'a.test', 1, ['1']);
  commit('a.test', 1);
  await stage('c', 'a.test', 2, ['2']);
  dropUncommitted(database);
  commit('a.test', 2);
  expect(drain(outbox)).toEqual([['1']]);
});
