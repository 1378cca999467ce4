/** Milliseconds of CPU, of all threads of this process, that `work` takes. */
export async function cpuMsOf(work: () => void | Promise<void>): Promise<number> {
  const started = process.cpuUsage();
  await work();
  return cpuMsSince(started);
}

export function cpuMsSince(started?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}
