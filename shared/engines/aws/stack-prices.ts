import { type Prices, priceOf } from './prices.ts';
import { regionOf, type StackSettings } from './settings.ts';

/** The prices that a stack is paid for by: those of its region. */
export const stackPrices = (settings: Pick<StackSettings, 'linkQueueUrl'>): Prices =>
  priceOf(regionOf(settings) ?? 'us-east-1');
