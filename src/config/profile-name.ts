import { quote } from '../checks/text.ts';
import { invalid, type Parsed, valid } from './parsed.ts';

/** The profile that is always there and needs no service. */
export const SANDBOX = 'sandbox';

/** Names that every object of JavaScript answers to; as keys of a file they would be lost. */
const unstorable = ['constructor', 'prototype'];

/** Checks the name of a profile: `chain`, `hotel-7`. */
export function parseProfileName(text: string): Parsed<string> {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(text)) {
    return invalid(
      `${quote(text)} is not the name of a profile: 1 to 64 of a-z 0-9 _ -, the first one of a-z 0-9`,
    );
  }
  return unstorable.includes(text) ? invalid(`${quote(text)} cannot be the name of a profile`) : valid(text);
}
