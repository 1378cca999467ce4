/**
 * The whole engine on an emulator, its requests gathered as in a deployed stack, held to the one contract
 * suite.
 */
import { describe } from 'vitest';
import { engineContract } from '../contract/engine-contract.ts';
import { openAwsEngine } from './open-engine.ts';
import { hasEmulator } from './resources.ts';

describe.runIf(hasEmulator())('on an emulator', () => {
  engineContract('aws', (options) => openAwsEngine({ ...options, isGathering: true }), {
    reopen: 'shown for each port by itself in state.test.ts and queues.test.ts',
  });
});
