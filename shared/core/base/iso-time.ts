const DAY_MS = 86_400_000;
/** Days of 400 years of the Gregorian calendar. */
const ERA_DAYS = 146_097;
/** From 1 March of the year 0 to the epoch. */
const EPOCH_DAY = 719_468;
/** The first time of the year 10000. */
const END_OF_TIME = 253_402_300_800_000;

/** Writes a time, in ms since the epoch, as `Date.toISOString` does, which takes microseconds of a page. */
export function isoTime(at: number): string {
  if (!(at >= 0 && at < END_OF_TIME)) return new Date(at).toISOString();
  const ms = Math.trunc(at);
  const days = Math.floor(ms / DAY_MS);
  const rest = ms - days * DAY_MS;
  const time = `${two(rest / 3_600_000)}:${two((rest / 60_000) % 60)}:${two((rest / 1000) % 60)}`;
  return `${dateOf(days)}T${time}.${two((rest % 1000) / 10)}${rest % 10}Z`;
}

/** By years that begin in March, so that a leap day ends one (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
function dateOf(days: number): string {
  const day = days + EPOCH_DAY;
  const ofEra = day % ERA_DAYS;
  const leapDays = Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / (ERA_DAYS - 1));
  const yearOfEra = Math.floor((ofEra - leapDays) / 365);
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const march = Math.floor((5 * ofYear + 2) / 153);
  const dayOfMonth = ofYear - Math.floor((153 * march + 2) / 5) + 1;
  const month = march < 10 ? march + 3 : march - 9;
  const year = yearOfEra + Math.floor(day / ERA_DAYS) * 400 + (month <= 2 ? 1 : 0);
  return `${two(year / 100)}${two(year % 100)}-${two(month)}-${two(dayOfMonth)}`;
}

/** The whole part in two digits. */
const two = (number: number): string => TWO_DIGITS[Math.trunc(number)] as string;
const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'));
