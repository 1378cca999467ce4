/** The test double of `test/crawler/worker`, held to the same suite: what turns are shown to do there rests on it. */
import type { RecordLocation } from '../../shared/core/archive/record-location.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { engineContract } from './engine-contract.ts';

engineContract('memory', async (options = {}) => {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock, options);
  const archive = engine.archiveOf('archived');
  return {
    engine,
    reopen: async () => engine.reopen(),
    close: async () => {},
    advance: (ms: number) => clock.advance(ms),
    readRecord: async (_: string, location: RecordLocation) => archive.read(location),
  };
});
