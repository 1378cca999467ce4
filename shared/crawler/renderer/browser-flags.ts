/**
 * The network of the browser is cut: whatever a page or the browser itself tries beside the requests that Strand answers,
 * reaches no name and no address. Each of these is held by a test that fails without it.
 */
export const CUT_NETWORK: readonly string[] = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  // Nothing listens there, and no host is exempt from it, not even this machine.
  '--proxy-server=socks5://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/** Parts of Chromium that make requests by themselves, or that cost CPU for windows that nobody sees. */
const FEATURES_OFF: readonly string[] = [
  'AcceptCHFrame',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'FedCm',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'InterestFeedContentSuggestions',
  'LoadingPredictor',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationGuideModelDownloading',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'Prerender2',
  'ServiceWorkerAutoPreload',
  'SpeculationRulesPrefetchFuture',
  'Translate',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
  'WebUIReloadButton',
];

/** The full browser tries less by itself with these. The cut network holds without them. */
const QUIET: readonly string[] = [
  '--disable-quic',
  '--dns-prefetch-disable',
  '--no-pings',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
];

const PLAIN: readonly string[] = [
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-sync',
  '--disable-extensions',
  '--disable-default-apps',
  '--disable-client-side-phishing-detection',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--metrics-recording-only',
  '--no-service-autorun',
  '--password-store=basic',
  '--use-mock-keychain',
  '--mute-audio',
  '--hide-scrollbars',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
  '--disable-hang-monitor',
  '--disable-ipc-flooding-protection',
  '--disable-prompt-on-repost',
  '--disable-popup-blocking',
  '--force-color-profile=srgb',
  '--window-size=1280,1000',
];

/** Megabytes. Ends most pages whose heap grows without end; the process watch ends the others. */
const HEAP = '--max-old-space-size=256';

export interface FlagOptions {
  /** The browser's own folder. */
  readonly folder: string;
  readonly isShell: boolean;
  readonly hasSandbox: boolean;
  /** Where processes cannot have children of other rights, as in a function of Lambda. */
  readonly isSingleProcess?: boolean | undefined;
}

/** Chromium's zygote and its process for graphics would be started with rights that Lambda does not give. */
const SINGLE_PROCESS = ['--single-process', '--no-zygote', '--in-process-gpu'];

/** The arguments of a browser that has no network of its own. */
export const browserFlags = ({
  folder,
  isShell,
  hasSandbox,
  isSingleProcess = false,
}: FlagOptions): string[] => [
  isShell ? '--headless' : '--headless=new',
  ...(hasSandbox ? [] : ['--no-sandbox']),
  ...(isSingleProcess ? SINGLE_PROCESS : []),
  ...PLAIN,
  // Rendered once more, a page has the same random numbers (`rounds/render-round.ts`).
  `--js-flags=${[HEAP, ...(isSingleProcess ? ['--random-seed=1'] : [])].join(' ')}`,
  ...QUIET,
  ...CUT_NETWORK,
  // In one flag: of several the last counts alone.
  `--disable-features=${FEATURES_OFF.join(',')}`,
  '--remote-debugging-pipe',
  `--user-data-dir=${folder}`,
  'about:blank',
];
