/** The whole engine on an emulator, held to the one contract suite. */
import { describe, vi } from 'vitest';
import { engineContract } from '../contract/engine-contract.ts';
import { openAwsEngine } from './open-engine.ts';
import { hasEmulator } from './resources.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe.runIf(hasEmulator())('on an emulator', () => {
  engineContract('aws', openAwsEngine, {
    reopen: 'shown for each port by itself in state.test.ts and queues.test.ts',
  });
});
