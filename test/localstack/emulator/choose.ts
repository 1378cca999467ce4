/** Which emulator of AWS the tests get. Pure: `machine.ts` looks, this decides. */

/** The properties of a machine on which an emulator could run. */
export interface Machine {
  /** Whether a Docker engine answers. */
  readonly hasDocker: boolean;
  /** As Node names it. */
  readonly architecture: string;
  /** Path of a Python that the emulator runs on and that can make virtual environments. */
  readonly python?: string;
  /** Folder of a Java machine that is new enough. */
  readonly javaHome?: string;
  readonly hasMaven: boolean;
  /** Whether host mode was installed before: then nothing is needed that only serves to install it. */
  readonly isInstalled: boolean;
}

export type Choice =
  | { readonly mode: 'docker' }
  | { readonly mode: 'host'; readonly python: string; readonly javaHome: string }
  | { readonly mode: 'none'; readonly missing: readonly string[] };

/**
 * The emulator that `AWS_ENDPOINT_URL` names, if any. Throws unless it is at this machine: tests make and
 * remove things.
 */
export function givenEndpoint(url: string | undefined): string | undefined {
  if (!url) return undefined;
  const hostname = URL.canParse(url) ? new URL(url).hostname : undefined;
  if (hostname !== '127.0.0.1' && hostname !== 'localhost' && hostname !== '[::1]')
    throw new Error(
      `Expected an emulator at this machine in AWS_ENDPOINT_URL (http://127.0.0.1:PORT), got ${url}`,
    );
  return url;
}

/** The official image where there is Docker, else processes of this machine, else what these lack. */
export function choose(machine: Machine): Choice {
  if (machine.hasDocker) return { mode: 'docker' };
  const { python, javaHome, hasMaven, isInstalled, architecture } = machine;
  const missing: string[] = [];
  // The SQLite library of DynamoDB Local comes for no other.
  if (architecture !== 'x64') missing.push(`an x86-64 processor (this one is ${architecture})`);
  if (python === undefined) missing.push('Python 3.11 to 3.13 with venv (apt-get install python3-venv)');
  if (javaHome === undefined) missing.push('Java 17 or newer (apt-get install default-jre-headless)');
  if (!hasMaven && !isInstalled) missing.push('Maven (apt-get install maven)');
  return missing.length === 0
    ? { mode: 'host', python: python!, javaHome: javaHome! }
    : { mode: 'none', missing };
}

/** The one line that says why the suite is not run, and how to have it run. */
export function skipMessage(missing: readonly string[]): string {
  return (
    '!!! SKIPPED: test/localstack needs an emulator of AWS, and there is none. Start a Docker engine, ' +
    `or set AWS_ENDPOINT_URL, or give this machine: ${missing.join('; ')} !!!`
  );
}
