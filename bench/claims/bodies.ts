/** Memory of a crawl that receives a thousand large bodies, as many at once as it has sockets. */
import { spawn } from 'node:child_process';
import type { Measured } from '../harness/record.ts';
import { pinned, runMeasured } from '../harness/run-measured.ts';
import { withScratch } from '../harness/scratch.ts';
import { strandCommand } from '../harness/strand-run.ts';
import { firstLine } from '../harness/web/open-web.ts';

const HOSTS = 1000;
const TIMEOUT_MS = 600_000;

export async function measure(): Promise<Measured> {
  const [program, ...args] = [...pinned('0'), process.execPath, `${import.meta.dirname}/bodies/body-web.ts`];
  const web = spawn(program as string, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const port = await firstLine(web);
    const seeds = Array.from(
      { length: HOSTS },
      (_, i) => `http://127.3.${1 + Math.floor(i / 250)}.${1 + (i % 250)}:${port}/large`,
    );
    const cost = await withScratch((folder) =>
      runMeasured({
        command: [...strandCommand(folder, seeds), '--hosts', String(HOSTS)],
        cores: '1',
        timeoutMs: TIMEOUT_MS,
      }),
    );
    if (cost.code !== 0) throw new Error(`The crawl ended with ${cost.code}:\n${cost.output}`);
    const most = Number(await (await fetch(`http://127.3.1.1:${port}/most`)).text());
    return {
      figures: {
        peakMb: { value: cost.peakBytes / 1e6, unit: 'MB at the peak' },
        atOnce: { value: most, unit: `bodies of 10 MB at once, of ${HOSTS}` },
        seconds: { value: cost.wallMs / 1000, unit: 's' },
      },
    };
  } finally {
    web.kill();
  }
}
