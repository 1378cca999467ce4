/**
 * Which settings of a crawl open something of its operator: machine, network, keys or name. They are obeyed where the
 * operator has made them. In a folder that came from somebody else they must be confirmed.
 */
import { printable, shorten } from '../text/printable.ts';
import type { CrawlOptions } from './crawl-options.ts';
import { SETTING_LIST, SETTINGS } from './settings/settings.ts';

const OPENS = SETTING_LIST.filter(([, { opens }]) => opens !== undefined).sort(([a], [b]) =>
  a < b ? -1 : 1,
);

/** The settings that open something, each with its value, in a fixed order. */
export function openingSettings(options: CrawlOptions): [key: keyof CrawlOptions, value: unknown][] {
  return OPENS.flatMap(([key]): [keyof CrawlOptions, unknown][] => {
    const value: unknown = options[key];
    return value === undefined || isDefault(key, value) || !opensIn(key, value) ? [] : [[key, value]];
  });
}

const isDefault = (key: keyof CrawlOptions, value: unknown): boolean =>
  JSON.stringify(SETTINGS[key].default) === JSON.stringify(value);

/** Different settings for some hosts are mostly harmless. */
function opensIn(key: keyof CrawlOptions, value: unknown): boolean {
  if (key !== 'overrides' || !Array.isArray(value)) return true;
  return value.some((override) => override?.robots !== undefined && override.robots !== 'obey');
}

const MAX_SHOWN = 120;

/** Shows such a setting to people: `fromFolder [["docs.example.org","/etc"]] reads files of this machine`. */
export function openingText([key, value]: readonly [keyof CrawlOptions, unknown]): string {
  return `${key} ${shorten(printable(JSON.stringify(shownValue(key, value))), MAX_SHOWN)} ${SETTINGS[key].opens}`;
}

/** Without passwords and keys. */
function shownValue(key: keyof CrawlOptions, value: unknown): unknown {
  if (key === 'proxies' && Array.isArray(value))
    return value.map((rule) => URL.parse(String(rule?.url))?.host ?? 'direct');
  if (key === 'identity') {
    const file = (value as { readonly key?: unknown }).key;
    return typeof file === 'string' ? file : 'a key';
  }
  return key === 'certificateAuthorities' && Array.isArray(value) ? value.length : value;
}
