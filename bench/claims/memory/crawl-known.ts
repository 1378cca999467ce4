/**
 * Resumes the crawl of a filled folder until it has fetched PAGES pages: `node crawl-known.ts FOLDER PAGES
 * OUT`. OUT becomes a {@link KnownCrawl} in JSON.
 */
import { writeFileSync } from 'node:fs';
import { resumeCrawl } from '../../../shared/engines/local/session/session.ts';
import { cpuMsOf, cpuMsSince } from '../../harness/cpu-time.ts';
import { answer, PAGES_PER_TURN } from './known-web.ts';

export interface KnownCrawl {
  readonly pages: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The most that the process has had resident, since its start. */
  readonly peakBytes: number;
  readonly resumeMs: number;
  readonly resumeCpuMs: number;
}

const [folder, maxPages, out] = process.argv.slice(2) as [string, string, string];
const beganAt = performance.now();
const cpuBefore = process.cpuUsage();
const session = await resumeCrawl(
  folder,
  { maxPages: Number(maxPages), turnMaxPages: PAGES_PER_TURN },
  { software: 'bench', project: { crawl: {}, middleware: [answer], extraction: [], modules: [], aws: {} } },
);
const resumedAt = performance.now();
const resumeCpuMs = cpuMsSince(cpuBefore);
let pages = 0;
const cpuMs = await cpuMsOf(async () => {
  await session.run({
    signal: new AbortController().signal,
    onProgress(stats) {
      pages = stats.pages;
    },
  });
});
const wallMs = performance.now() - resumedAt;
await session.close();
const result: KnownCrawl = {
  pages,
  cpuMs,
  wallMs,
  peakBytes: process.resourceUsage().maxRSS * 1024,
  resumeMs: resumedAt - beganAt,
  resumeCpuMs,
};
writeFileSync(out, JSON.stringify(result));
