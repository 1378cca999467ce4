/**
 * The use of billed services by a crawl on a stack, from its course: what each function does by its turns, seconds and
 * messages. The counts are those of whole simulated crawls, taken by function and call (`test/api/estimate/simulated-crawls.ts`
 * has what these crawls used).
 */
import { dataOutBytes, type Usage } from '../../shared/engines/aws/cost/prices.ts';
import { RENDERED_PAGE, RENDERER_MEMORY_MB, X86_FACTOR } from '../../shared/engines/aws/renderer-size.ts';
import type { Course, CrawlShape, StackShape } from './estimate-crawl.ts';

/** Bytes written for a request to a host with TLS, whose connection stays open. */
const REQUEST_BYTES = 350;

/** The share of turns that send a parcel of links to other hosts: of the first, short ones of a host, and of the others. */
const WITH_LINKS = { short: 0.25, long: 0.72 };
/** Seconds over which the router gathers parcels. */
const ROUTER_WINDOW_S = 5;
/** Turns that end within these seconds of another one are stored with it. */
const STORED_TOGETHER_S = 18;
/** The router's event takes several parcels also where they come one by one. */
const EVENTS = 0.85;
/** Hosts that the links of an event lead to. */
const linkedHosts = (hosts: number): number => Math.min(hosts, 2.15 * hosts ** 0.66);
/** Messages to hosts in a request of the router. */
const MESSAGES = 8.2;
/** GB-seconds by 1,000 of a run of the router (1,024 MB, 130 ms) and of the waker (512 MB, 75 ms). */
const ROUTER_MB_MS = 1024 * 130;
const WAKER_MB_MS = 512 * 75;
const RENDERED_PAGE_MB_MS = X86_FACTOR * RENDERER_MEMORY_MB * RENDERED_PAGE.ms;
/** A worker's invocation, with the handover to the next one. */
const WORKER_RUN_S = 400;

/** The number of groups if events within `windowS` of another one are taken together with it. */
const gathered = (events: number, seconds: number, windowS: number): number =>
  events / (1 + (windowS * events) / Math.max(1, seconds));

/** Parts of ledgers that are objects: of hosts with more than some hundred pages. */
const largeParts = ({ pages, hosts }: CrawlShape): number =>
  0.01 * Math.max(0, Math.log10(pages / hosts / 100)) * pages;

/** Returns the units of each line item that the meter of a stack would count. */
export function usageOnStack(course: Course, shape: CrawlShape, stack: StackShape): Usage {
  const { shortTurns, longTurns, workerSeconds, smallWorkerSeconds, hours } = course;
  const { pages, hosts } = shape;
  const rendered = shape.isRendered ? pages : 0;
  const seconds = hours * 3600;
  const minutes = hours * 60;
  const turns = shortTurns + longTurns;
  const parcels = WITH_LINKS.short * shortTurns + WITH_LINKS.long * longTurns;
  const routed = EVENTS * gathered(parcels, seconds, ROUTER_WINDOW_S);
  const messages = routed * linkedHosts(hosts);
  const visits = messages + turns;
  const requests = pages + hosts;
  const bytes = pages * shape.pageBytes;
  const mbSeconds =
    (workerSeconds - smallWorkerSeconds) * stack.workerMemoryMb +
    smallWorkerSeconds * stack.smallWorkerMemoryMb;
  return {
    // A worker polls each second; a message is received and deleted with others.
    sqsFifoRequests: 1.03 * workerSeconds + turns + 0.29 * visits + messages / MESSAGES + 1.2 * minutes,
    // Lambda's poller receives and deletes an event.
    sqsStandardRequests: 1.1 * parcels + 2 * routed + 0.24 * minutes,
    // A worker's place in the pool and its usage; head and parts of a ledger; links that are new.
    dynamoWriteUnits: 0.5 * workerSeconds + 2.9 * turns + 0.15 * visits + 1.03 * routed + 3.6 * minutes,
    dynamoReadUnits: 1.03 * workerSeconds + 1.21 * visits + 5.15 * routed + 8.5 * minutes,
    // A worker stores the pages of all turns that end at the same time by one request, and each part of a large ledger by its own.
    s3Puts: 0.9 * gathered(turns, workerSeconds, STORED_TOGETHER_S) + 0.35 * turns + largeParts(shape),
    s3Gets: 0.03 * pages,
    lambdaRequests: routed + minutes + workerSeconds / WORKER_RUN_S + RENDERED_PAGE.rounds * rendered,
    lambdaMbMs:
      1000 * mbSeconds + ROUTER_MB_MS * routed + WAKER_MB_MS * minutes + RENDERED_PAGE_MB_MS * rendered,
    dataOutBytes: dataOutBytes({ requests, bytes, sent: { requests, bytes: requests * REQUEST_BYTES } }),
  };
}
