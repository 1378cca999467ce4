export * from '../shared/control/nearest.ts';
