/** Throttling storms: a service refuses most calls for some time. */
import type { Faults } from './faults.ts';
import type { ServiceName } from './service.ts';

const WINDOW_MS = 60_000;
const MAX_STORM_MS = 30_000;
/** The share of refused calls in a storm: some calls exhaust their attempts. */
const REFUSED = 0.97;

/** Whether a call made now is refused. One storm at most begins in each minute of each service. */
export function createStorms(now: () => number, faults: Faults): (service: ServiceName) => boolean {
  const windows = new Map<
    ServiceName,
    { readonly window: number; readonly from: number; readonly until: number }
  >();
  return (service) => {
    const at = now();
    const window = Math.floor(at / WINDOW_MS);
    let known = windows.get(service);
    if (known?.window !== window) {
      const isStorm = faults.strikes('throttleStorm');
      const from = isStorm ? at + faults.random('throttleStorm') * (WINDOW_MS / 2) : 0;
      known = { window, from, until: isStorm ? from + faults.random('throttleStorm') * MAX_STORM_MS : 0 };
      windows.set(service, known);
    }
    return at >= known.from && at < known.until && faults.random('throttleStorm') < REFUSED;
  };
}
