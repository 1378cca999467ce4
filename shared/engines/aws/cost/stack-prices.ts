import { regionOf, type StackSettings } from '../settings.ts';
import { type Prices, priceOf } from './prices.ts';

/** The prices that a stack is paid for by: those of its region. */
export const stackPrices = (settings: Pick<StackSettings, 'linkQueueUrl'>): Prices =>
  priceOf(regionOf(settings) ?? 'us-east-1');
