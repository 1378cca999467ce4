/** The function that makes exports: when one begins, on and on while there is more to do, and once an hour. */
import type { Context } from 'aws-lambda';
import { lazy } from '../shared/core/base/lazy.ts';
import { ExportJobs } from '../shared/engines/aws/exports/export-jobs.ts';
import { exportContextOf } from '../shared/engines/aws/exports/stack-context.ts';
import { createOwnEvents } from '../shared/engines/aws/own-events.ts';
import { EXPORT_MORE } from '../shared/services/webhook/event-types.ts';
import { createExporterHandler } from './exporter-handler.ts';
import { type FunctionStack, functionStack } from './stack.ts';

const exporter = lazy(() => openExporter(functionStack()));

/** Creates the handler of the function. */
export function openExporter(functions: FunctionStack) {
  const { settings, clock, log, open } = functions;
  const stack = open();
  const { crawlState: table, bucket } = settings;
  const putEvent = createOwnEvents(clock);
  return createExporterHandler({
    clock,
    log,
    stack,
    jobs: new ExportJobs({ dynamo: stack.clients.dynamo, clock, table, bucket }),
    contextOf: exportContextOf({
      opened: stack,
      settings,
      clock,
      // Not before documents are made: the project's file may fail to load.
      loadModules: async () => (await import('#strand-config')).default.modules,
    }),
    async continueNow() {
      // Otherwise the next run is that of the schedule.
      if (!(await putEvent(EXPORT_MORE, { stack: settings.stack })))
        log('warn', { message: 'Exports are not continued before the next hour' });
    },
  });
}

export const handler = (event: unknown, context: Context): Promise<void> => exporter()(event, context);
