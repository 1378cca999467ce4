import { type CapturedPage, hookedPage } from '../../../shared/engines/local/pages/captured-page.ts';
import { systemClock } from '../../../shared/engines/system-clock.ts';
import { createHooks } from '../../../shared/services/hooks/create-hooks.ts';
import type { PageContext } from '../../../shared/services/project/project.ts';
import type { ViewConfig } from './page-messages.ts';

/** The page as `onPage` would get it. */
export async function contextOf(page: CapturedPage, config: ViewConfig): Promise<PageContext> {
  let seen: PageContext | undefined;
  const onPage = (given: PageContext) => {
    seen = given;
  };
  await createHooks({ onPage }, { config, clock: systemClock })?.onPage(hookedPage(page));
  if (seen === undefined) throw new Error(`The page ${page.url} cannot be shown`);
  return seen;
}
