/**
 * A process of worlds without a world, for the tests of those who ask: the first argument says which seeds do
 * what.
 */

import { outcomeWithout, serveWorlds } from '../../command/serve.ts';
import type { Outcome, WorldSpec } from '../../worlds/spec.ts';

export type Ways = Readonly<Record<'dies' | 'strays' | 'hangs' | 'throws' | 'breaks', number>>;

const ways: Ways = JSON.parse(process.argv[2] ?? '');

async function runFake(spec: WorldSpec): Promise<Outcome> {
  switch (spec.seed) {
    case ways.dies:
      return process.exit(9);
    case ways.strays:
      void Promise.reject(new TypeError('nobody looks after this'));
      break;
    case ways.hangs:
      for (;;) {}
    case ways.throws:
      throw new RangeError('no such world');
    case ways.breaks:
      return outcomeWithout(spec, { invariant: 'unhurried', message: 'too early', host: 'h1.test' });
  }
  return { ...outcomeWithout(spec, { invariant: 'ends', message: '' }), violations: [] };
}

await serveWorlds(runFake);
