/**
 * Before each test file of the project `localstack`: what its clients of AWS find is the emulator, or
 * nothing.
 */
import { announcedEmulator } from './announced.ts';
import { environmentFor } from './emulator.ts';

for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];

const emulator = await announcedEmulator();
if (emulator) Object.assign(process.env, environmentFor(emulator));
