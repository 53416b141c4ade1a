import { iso31661Alpha2ToAlpha3 } from 'iso-3166/1-a2-to-1-a3.js';
import { quote } from './text.ts';

const wellMeant: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

/** What is wrong with a country code, or `undefined`: it must be assigned in ISO 3166-1 alpha-2. */
export function countryProblem(code: string): string | undefined {
  if (Object.hasOwn(iso31661Alpha2ToAlpha3, code)) return undefined;
  const upper = code.toUpperCase();
  const right = Object.hasOwn(iso31661Alpha2ToAlpha3, upper) ? upper : wellMeant[upper];
  return `${quote(code)} is not an assigned country code of ISO 3166-1${right === undefined ? '' : `: write ${right}`}`;
}
