/** The words of a freshness report, the same for a terminal and a page. */
import type { Band, FreshnessReport } from '../../shared/services/report/report-freshness.ts';
import { formatCount, formatDuration } from '../format.ts';

export const NO_FRESHNESS =
  'No page of this crawl is fetched again, so that nothing is known of its changes.';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** `93%`, `99.8%`, `<0.1%`; never 100% of what is not all. */
export function shareText(share: number): string {
  if (share >= 1) return '100%';
  const percent = 100 * share;
  if (percent < 0.1) return '<0.1%';
  return `${percent < 10 || percent > 99 ? Math.min(99.9, percent).toFixed(1) : Math.round(percent)}%`;
}

const daysText = (days: number): string => formatDuration(days * DAY_MS) || '0';

/** A figure with two digits: `0.35`, `4.2`, `1,234`. */
export const rateText = (value: number): string =>
  value >= 99.5 ? formatCount(Math.round(value)) : String(Number(value.toPrecision(2)));

/** `1h to 6h`, `more than 60d`. */
export function bandText(bands: readonly Band[], at: number): string {
  const edge = (hours: number | undefined): string => formatDuration((hours ?? 0) * HOUR_MS);
  const [below, above] = [bands[at - 1]?.upToHours, bands[at]?.upToHours];
  if (below === undefined) return `less than ${edge(above)}`;
  return above === undefined ? `more than ${edge(below)}` : `${edge(below)} to ${edge(above)}`;
}

/** The upper edge of each band, for an axis. */
export const edgeText = ({ upToHours }: Band): string =>
  upToHours === undefined ? 'more' : formatDuration(upToHours * HOUR_MS);

/** Figures with a label and a note. */
export function freshnessFigures(report: FreshnessReport): readonly (readonly [string, string, string])[] {
  const { pages, freshShare, weightedFreshShare, meanAgeDays, oldest, refetchedLastDay, byPrice } = report;
  return [
    ['up to date', shareText(freshShare), `estimated, of ${formatCount(pages)} copies`],
    ['by importance', shareText(weightedFreshShare), 'up to date, important pages counting more'],
    ['mean age', daysText(meanAgeDays), 'since the first change that was not seen yet'],
    ['changes a day', rateText(report.changesPerDay), 'estimated, of all pages'],
    [
      'fetched again',
      formatCount(refetchedLastDay),
      byPrice
        ? `in 24 hours, each page once; the budget is ${rateText(byPrice.budgetPerDay)}`
        : 'in 24 hours, each page once',
    ],
    ...(byPrice
      ? ([
          [
            'of the budget',
            shareText(Math.min(1, byPrice.plannedPerDay / byPrice.budgetPerDay)),
            `planned: ${rateText(byPrice.plannedPerDay)} fetches a day`,
          ],
          ['price of a fetch', rateText(byPrice.price), byPrice.objective],
        ] as const)
      : []),
    ['due', formatCount(report.due), 'at this moment'],
    ...(oldest ? ([['oldest copy', daysText(oldest.days), oldest.url]] as const) : []),
  ];
}
