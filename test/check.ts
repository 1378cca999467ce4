/** Runs everything that is checked without a test, beside each other: each check by itself uses little more than one core. */
import { spawn } from 'node:child_process';

const CHECKS = [
  'tsc --noEmit --singleThreaded',
  'biome check .',
  'npm run -s check:regexps',
  'npm run -s check:structure',
];

/** Resolves to whether it passed. What it printed is printed as a whole. */
async function passes(command: string): Promise<boolean> {
  // By a shell, which finds the programs of `node_modules/.bin` on each system.
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => printed.push(bytes));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  process.stdout.write(Buffer.concat(printed));
  if (code !== 0) console.error(`Failed: ${command}`);
  return code === 0;
}

const passed = await Promise.all(CHECKS.map(passes));
if (passed.includes(false)) process.exitCode = 1;
