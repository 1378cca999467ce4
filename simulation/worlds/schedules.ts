/** The schedules of worlds, beside the minutes of each hour, UTC, at which they are due. */
export interface WorldSchedule {
  readonly expression: string;
  readonly timeZone?: string;
  readonly minutes: readonly number[];
}

export const SCHEDULES: readonly WorldSchedule[] = [
  { expression: '*/10 * * * *', minutes: [0, 10, 20, 30, 40, 50] },
  // No multiples of five, to which far times are rounded up.
  { expression: '7,37 * * * *', minutes: [7, 37] },
  { expression: 'cron(0/15 * * * ? *)', minutes: [0, 15, 30, 45] },
  // Five hours and 45 minutes ahead.
  { expression: '*/20 * * * *', timeZone: 'Asia/Kathmandu', minutes: [15, 35, 55] },
];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The most time between two of its moments, ms. */
export const periodOf = ({ minutes }: WorldSchedule): number => HOUR / minutes.length;

/** The first of its moments after that time, ms since 1970. */
export function momentAfter({ minutes }: WorldSchedule, at: number): number {
  const hour = at - (at % HOUR);
  const moments = [...minutes, ...minutes.map((minute) => minute + 60)];
  return hour + MINUTE * (moments.find((minute) => hour + minute * MINUTE > at) ?? 120);
}

/** The schedule of the crawl, if it has one. */
export const scheduleOf = (config: {
  readonly recrawlSchedule?: string | undefined;
  readonly recrawlTimeZone?: string | undefined;
}): WorldSchedule | undefined =>
  SCHEDULES.find(
    ({ expression, timeZone }) =>
      expression === config.recrawlSchedule && timeZone === config.recrawlTimeZone,
  );
