import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs `file` to its end and answers all that it printed. Throws with its last words if it fails or takes
 * longer.
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  { timeoutMs = 15_000, env = process.env }: { timeoutMs?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  try {
    const { stdout, stderr } = await run(file, args, {
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      env,
      maxBuffer: 1 << 26,
    });
    return stdout + stderr;
  } catch (cause) {
    const { message, stderr = '' } = cause as Error & { stderr?: string };
    const words = (stderr.trim() || message).split('\n').slice(-5).join(' ');
    throw new Error(`${file} ${args.slice(0, 3).join(' ')} failed: ${words}`, { cause });
  }
}

/** The same, undefined if it fails. */
export const tryCommand = (...call: Parameters<typeof runCommand>): Promise<string | undefined> =>
  runCommand(...call).catch(() => undefined);
