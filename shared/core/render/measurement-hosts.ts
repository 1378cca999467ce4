/** Hosts that count visitors or show advertising: a crawl that renders pages must not count as a visitor. */

const HOSTS: ReadonlySet<string> = new Set([
  'adform.net',
  'adnxs.com',
  'amazon-adsystem.com',
  'amplitude.com',
  'bat.bing.com',
  'braze.com',
  'chartbeat.com',
  'clarity.ms',
  'cloudflareinsights.com',
  'connect.facebook.net',
  'criteo.com',
  'doubleclick.net',
  'facebook.com',
  'fullstory.com',
  'google-analytics.com',
  'googleadservices.com',
  'googlesyndication.com',
  'googletagmanager.com',
  'googletagservices.com',
  'heapanalytics.com',
  'hotjar.com',
  'hs-analytics.net',
  'intercom.io',
  'matomo.cloud',
  'mixpanel.com',
  'mouseflow.com',
  'newrelic.com',
  'nr-data.net',
  'optimizely.com',
  'outbrain.com',
  'plausible.io',
  'quantserve.com',
  'scorecardresearch.com',
  'segment.com',
  'segment.io',
  'sentry.io',
  'taboola.com',
  'analytics.tiktok.com',
  'mc.yandex.ru',
]);

/** Whether the host is one of them, or below one. Work is bounded by the labels of a name. */
export function isMeasurementHost(name: string): boolean {
  for (let from = 0; from >= 0; ) {
    if (HOSTS.has(name.slice(from))) return true;
    const dot = name.indexOf('.', from);
    from = dot < 0 ? -1 : dot + 1;
  }
  return false;
}
