import { choose, givenEndpoint, skipMessage } from './choose.ts';
import { startDockerEmulator } from './docker-emulator.ts';
import type { Emulator } from './emulator.ts';
import { startHostEmulator } from './host-emulator.ts';
import { type Installation, install } from './install.ts';
import { lookAtMachine } from './machine.ts';

/** There is no emulator of AWS to be had here. The message is one line that says why, and what to do. */
export class NoEmulator extends Error {
  override readonly name = 'NoEmulator';
}

/**
 * The emulator at `given`, which is what `AWS_ENDPOINT_URL` holds, or one started for the caller, who ends it
 * by `stop`. Throws {@link NoEmulator} if this machine cannot have one; any other error is a fault.
 */
export async function startEmulator(say: (line: string) => void, given?: string): Promise<Emulator> {
  const endpoint = givenEndpoint(given);
  if (endpoint) return { endpoint, title: 'the one that AWS_ENDPOINT_URL names', stop: async () => {} };

  const choice = choose(await lookAtMachine());
  if (choice.mode === 'none') throw new NoEmulator(skipMessage(choice.missing));
  if (choice.mode === 'docker') return startDockerEmulator();
  const { python, javaHome } = choice;
  const installed: Installation = await install(python, say).catch((cause: Error) => {
    throw new NoEmulator(skipMessage([`registries of PyPI and Maven that answer (${cause.message})`]), {
      cause,
    });
  });
  return startHostEmulator(installed, javaHome);
}
