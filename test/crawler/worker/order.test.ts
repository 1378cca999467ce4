/** The order in which a turn makes things durable: a crash between any two of its steps must lose nothing. */
import { expect, test } from 'vitest';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { areQuiet, begin, createWorld, SILENT, startProcess, type World } from './world.ts';

/**
 * One page in each turn, and enough turns to merge segments and delete old ones; each has a link to another
 * host.
 */
const SITE: Site = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [`http://a.test/${i}`, page(`/${i + 1}`, `http://b${i}.test/`)]),
);

interface Step {
  readonly name: string;
  readonly isDone: boolean;
}

/** Notes when each call of the engine begins and when it is done, which takes some time. */
function withNotes({ engine, clock }: World, note: (step: Step) => void): Engine {
  const noted = <P extends object>(port: P, names: Partial<Record<keyof P, string>>): P =>
    new Proxy(port, {
      get(target, key) {
        const method = Reflect.get(target, key);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          const name = nameOf(names[key as keyof P] ?? '', args);
          if (name === '') return Reflect.apply(method, target, args);
          note({ name, isDone: false });
          await clock.sleep(3);
          const result = await Reflect.apply(method, target, args);
          note({ name, isDone: true });
          return result;
        };
      },
    });
  const archive = noted(engine.archiveOf('crawl'), { append: 'append', flush: 'flush' });
  return {
    ...engine,
    archiveOf: () => archive,
    exchange: noted(engine.exchange, { send: 'send links' }),
    queue: noted(engine.queue, { send: 'send token', acknowledge: 'acknowledge', park: 'park' }),
    ledgers: noted(engine.ledgers, { putPart: 'put part', commit: 'commit', deleteParts: 'delete parts' }),
    ...(engine.items && { items: noted(engine.items, { stage: 'stage items', publish: 'publish items' }) }),
  };
}

/** Messages of the router are not the turn's. */
function nameOf(name: string, args: readonly unknown[]): string {
  if (name !== 'send token') return name;
  const [messages] = args as [readonly { readonly message: { readonly kind: string } }[]];
  return messages.every(({ message }) => message.kind === 'token') ? name : '';
}

test('a turn stores records, links, parts and items, then sends the token, then commits; the rest comes after', async () => {
  const items = { stage: async () => undefined, publish: async () => {} };
  const hooks = { ...SILENT, onPage: async () => ({ items: ['{}'] }) };
  const world = createWorld(SITE, { hooks, optional: { items } });
  const steps: Step[] = [];
  await begin(world, ['http://a.test/0'], {
    turnMaxPages: 1,
    scope: 'any',
    delayMs: 500,
    requisites: false,
    domainBudget: 'off',
    maxHostsPerDomain: 'off',
  });
  const engine = withNotes(world, (step) => steps.push(step));
  // One host at a time.
  const process = startProcess(engine, world.fetcher, { maxHosts: 1, hooks });
  await world.clock.drive(process.ended, () => areQuiet(world.engine));
  process.stop();
  await world.clock.drive(process.ended);
  expect(process.errors).toEqual([]);

  // Each step is done before the next one begins.
  const names = steps.filter(({ isDone }) => !isDone).map(({ name }) => name);
  expect(steps.map(({ name }) => name)).toEqual(names.flatMap((name) => [name, name]));
  const turns = names.join(', ').split(/(?<!append), (?=append)/);
  expect(turns.length).toBe(25);
  for (const turn of turns)
    expect(turn).toMatch(
      /^(append, )+flush, (send links, )?(put part, )+stage items, (send token, )?commit(, publish items)?(, delete parts)?, acknowledge(, park)?(, acknowledge)*$/,
    );
  for (const name of ['send links', 'publish items'])
    expect(names.filter((one) => one === name)).toHaveLength(12);
  expect(names.filter((name) => name === 'delete parts').length).toBeGreaterThan(0);
  // All but each host's last turn name a token.
  expect(names.filter((name) => name === 'send token')).toHaveLength(12);
});
