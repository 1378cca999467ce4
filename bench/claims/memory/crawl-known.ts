/**
 * Resumes the crawl of a filled folder until it has fetched PAGES pages, at most TURN of them a turn: `node crawl-known.ts
 * FOLDER PAGES KNOWN TURN OUT`, where each host has KNOWN known URLs. OUT becomes a {@link KnownCrawl} in JSON.
 */
import { writeFileSync } from 'node:fs';
import { resumeCrawl } from '../../../shared/engines/local/session/session.ts';
import { cpuMsOf, cpuMsSince } from '../../harness/cpu-time.ts';
import { answerKnowing } from './known-web.ts';

export interface KnownCrawl {
  readonly pages: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The most that the process has had resident, since its start. */
  readonly peakBytes: number;
  readonly resumeMs: number;
  readonly resumeCpuMs: number;
  /** CPU of a page in the second and in the last quarter of the pages, by looks once a second. */
  readonly cpuMsOfSecondQuarter: number;
  readonly cpuMsOfLastQuarter: number;
}

const [folder, maxPages, known, turnMaxPages, out] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const beganAt = performance.now();
const cpuBefore = process.cpuUsage();
const session = await resumeCrawl(
  folder,
  { maxPages: Number(maxPages), turnMaxPages: Number(turnMaxPages) },
  {
    software: 'bench',
    project: { crawl: {}, middleware: [answerKnowing(Number(known))], extraction: [], modules: [], aws: {} },
  },
);
const resumedAt = performance.now();
const resumeCpuMs = cpuMsSince(cpuBefore);
let pages = 0;
const looks: { readonly pages: number; readonly cpuMs: number }[] = [];
const runFrom = process.cpuUsage();
const cpuMs = await cpuMsOf(async () => {
  await session.run({
    signal: new AbortController().signal,
    onProgress(stats) {
      pages = stats.pages;
      looks.push({ pages, cpuMs: cpuMsSince(runFrom) });
    },
  });
});
const wallMs = performance.now() - resumedAt;
/** CPU of a page from one quarter of the pages to another. */
const cpuMsBetween = (from: number, to: number) => {
  const at = (quarter: number) => looks.find((look) => look.pages >= (pages * quarter) / 4)!;
  const [first, last] = [at(from), at(to)];
  return (last.cpuMs - first.cpuMs) / (last.pages - first.pages);
};
await session.close();
const result: KnownCrawl = {
  pages,
  cpuMs,
  wallMs,
  peakBytes: process.resourceUsage().maxRSS * 1024,
  resumeMs: resumedAt - beganAt,
  resumeCpuMs,
  cpuMsOfSecondQuarter: cpuMsBetween(1, 2),
  cpuMsOfLastQuarter: cpuMsBetween(3, 4),
};
writeFileSync(out, JSON.stringify(result));
