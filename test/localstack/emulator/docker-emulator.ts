/** The official image, as it is. Its functions run in containers, which it starts by the engine's socket. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { runCommand } from './command.ts';
import { type Emulator, untilUp, VERSION } from './emulator.ts';
import { freePort } from './free-port.ts';

const IMAGE = `localstack/localstack:${VERSION}`;
const PULL_TIMEOUT_MS = 900_000;
const START_TIMEOUT_MS = 120_000;

export async function startDockerEmulator(): Promise<Emulator> {
  const name = `strand-emulator-${randomBytes(4).toString('hex')}`;
  const address = `127.0.0.1:${await freePort()}`;
  const endpoint = `http://${address}`;
  const settings = {
    LOCALSTACK_HOST: address,
    SQS_ENDPOINT_STRATEGY: 'off',
    // Functions find servers of this machine under that name.
    LAMBDA_DOCKER_FLAGS: '--add-host host.docker.internal:host-gateway',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  // Not only at the end of the tests: also after a Ctrl-C.
  const remove = () => void spawnSync('docker', ['rm', '--force', name]);
  process.once('exit', remove);

  async function stop(): Promise<void> {
    process.off('exit', remove);
    // It removes its functions' containers on its way out.
    await runCommand('docker', ['stop', name], { timeoutMs: 60_000 }).catch(remove);
  }

  const socket = '/var/run/docker.sock:/var/run/docker.sock';
  const run = ['run', '--detach', '--rm', '--name', name, '--publish', `${address}:4566`, '--volume', socket];
  try {
    await runCommand('docker', [...run, ...options, IMAGE], { timeoutMs: PULL_TIMEOUT_MS });
    const deadline = Date.now() + START_TIMEOUT_MS;
    await untilUp(endpoint, () => Date.now() > deadline);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, title: `LocalStack ${VERSION}, the image ${IMAGE}`, stop };
}
