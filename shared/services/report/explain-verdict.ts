/** The last line of an explanation: its conclusion. */
import type { Explanation } from './explanation.ts';

type Explained = Omit<Explanation, 'wouldBeFetched' | 'verdict'>;
type Verdict = Pick<Explanation, 'wouldBeFetched' | 'verdict'>;

const PAST = {
  fetched: 'It was fetched',
  redirect: 'It was fetched, and redirects',
  gone: 'It was requested, and is gone',
  deniedByRobots: 'It was denied by robots.txt',
  skipped: 'It was skipped',
  failed: 'It has failed',
} as const;

export function verdictOf(explained: Explained, now: number): Verdict {
  const { known, as, crawl } = explained;
  if (known && known.status !== 'waiting') return again(`${pastText(known.status, explained)};`, known.dueAt);
  const against = reasonAgainst(explained);
  if (against !== undefined) return no(`It would be skipped: ${against}.`);
  const found = known || as === 'seed' ? '' : ' if a page linked to it';
  if (explained.robots?.says === 'denied') return no(`It would not be fetched: ${deniedText(explained)}.`);
  if (explained.hostState?.setAside !== undefined)
    return no(
      `It would not be fetched: its host was given up (${explained.hostState.setAside}), until the crawl is resumed.`,
    );
  const parts = [
    `It would be fetched${found}`,
    lineText(explained),
    robotsText(explained),
    timeText(explained, now),
    budgetText(explained),
    waitingText(explained, now),
    hoursText(explained),
  ];
  const isOver = crawl !== undefined && crawl.state !== 'running';
  if (isOver) parts.push(`once the crawl is resumed (it is ${crawl.state})`);
  return { wouldBeFetched: true, verdict: `${parts.filter(Boolean).join(', ')}.` };
}

/** `dueAt`: of a URL that is to be fetched again. */
const again = (past: string, dueAt: string | undefined): Verdict =>
  dueAt === undefined
    ? no(`${past} it is not fetched again.`)
    : { wouldBeFetched: true, verdict: `${past} it is fetched again after ${dueAt}, as the crawl recrawls.` };

const no = (verdict: string): Verdict => ({ wouldBeFetched: false, verdict });

function pastText(status: keyof typeof PAST, { known }: Explained): string {
  const details = [known?.httpStatus && `HTTP ${known.httpStatus}`, known?.cause].filter(Boolean);
  const when = known?.fetchedAt === undefined ? '' : ` at ${known.fetchedAt}`;
  return `${PAST[status]}${when}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
}

/** For a waiting URL, only the checks that are repeated before the fetch. */
function reasonAgainst({
  canonical,
  scope,
  known,
  template,
  hostState,
  domain,
}: Explained): string | undefined {
  if (canonical === undefined) return 'it is not an http or https URL';
  if (!known && scope?.reason !== undefined) return scope.rule;
  if (!known && domain?.isFull)
    return `hostsPerDomain: ${domain.hosts} hosts of ${domain.domain} were opened, and its host is none of them`;
  if (template?.isFull)
    return `maxPagesPerTemplate: ${template.pages} pages with URLs like ${template.template} were fetched`;
  if (template?.isClosed) return `trap: ${template.why}`;
  if (hostState?.isFull) return `maxPagesPerHost: its host has had ${hostState.pages} pages`;
  return undefined;
}

const deniedText = ({ robots }: Explained): string =>
  robots?.forbiddenUse !== undefined
    ? `${robots.forbiddenBy === 'license' ? 'the licence in robots.txt' : 'robots.txt'} forbids its use (${robots.forbiddenUse}), and the crawl's purpose is that`
    : robots?.rule === undefined
      ? 'robots.txt denies it'
      : `line ${robots.line} of robots.txt, ${robots.rule}`;

/**
 * `12th in its host's line`; of URLs that are as urgent, which comes first is not known without taking them.
 */
function lineText({ line, known }: Explained): string | undefined {
  if (!line) return undefined;
  const first = line.before + (known ? 1 : line.alike + 1);
  const last = line.before + line.alike + 1;
  return `${first === last ? ordinal(first) : `${ordinal(first)} to ${ordinal(last)}`} in its host's line`;
}

const robotsText = ({ robots }: Explained): string | undefined =>
  robots?.says === 'unknown' || robots?.says === 'closed'
    ? `if robots.txt, requested first, allows it (${robots.url})`
    : undefined;

/** Parts of pages do not count. */
const isOverBudget = ({ domain, as }: Explained): boolean => domain?.isOut === true && as !== 'requisite';

function budgetText(explained: Explained): string | undefined {
  const { domain } = explained;
  return isOverBudget(explained)
    ? `as the budget of ${domain?.domain} (${domain?.budget} requests for pages, --domain-budget) is used up until then`
    : undefined;
}

function waitingText({ hostState }: Explained, now: number): string | undefined {
  const { waitsFor, nextFetchAt } = hostState ?? {};
  const isStill = nextFetchAt !== undefined && Date.parse(nextFetchAt) > now;
  return waitsFor !== undefined && isStill ? `as it waits for ${waitsFor}` : undefined;
}

const hoursText = ({ hours }: Explained): string | undefined =>
  hours && `as its host is requested at certain hours only (${hours.allowed})`;

function timeText(explained: Explained, now: number): string | undefined {
  const { hostState, known, robots, domain, hours } = explained;
  const times = [
    hours?.from,
    hostState?.nextFetchAt,
    known?.dueAt,
    robots?.says === 'closed' ? robots.until : undefined,
    isOverBudget(explained) ? domain?.nextBudgetAt : undefined,
  ];
  const at = Math.max(...times.map((time) => (time === undefined ? 0 : Date.parse(time))));
  return at > now ? `not before ${clockText(at, now)}` : undefined;
}

/** The time alone where it is of the same day. */
function clockText(at: number, now: number): string {
  const [day, time] = new Date(at).toISOString().split('T') as [string, string];
  const today = new Date(now).toISOString().slice(0, 10);
  return `${day === today ? '' : `${day} `}${time.slice(0, 8)} UTC`;
}

function ordinal(n: number): string {
  const teens = n % 100 > 10 && n % 100 < 14;
  const ending = teens ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n.toLocaleString('en-US')}${ending}`;
}
