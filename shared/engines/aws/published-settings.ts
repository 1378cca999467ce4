/** How a deployed crawler publishes its settings, so that the command line finds them. */

/** The id of the stack's output: the last part of its key, which a construct's path may precede. */
export const SETTINGS_OUTPUT = 'Settings';

const START = 'Settings of the Strand crawler ';

/** Describes the output. `path` is the crawler's construct path: `MyStack/Crawler`. */
export const settingsDescription = (path: string): string => `${START}${path}`;

/** Returns the path in an output's description; undefined if the output is not one of a crawler. */
export const pathInDescription = (description = ''): string | undefined =>
  description.startsWith(START) ? description.slice(START.length) : undefined;
