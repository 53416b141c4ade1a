import { quote } from './text.ts';

const timeOfDay = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

/** What is wrong with a time of day in the contract's format HH:MM:SS, or `undefined`. */
export function timeOfDayProblem(text: string): string | undefined {
  if (timeOfDay.test(text)) return undefined;
  const repaired = /^\d{1,2}:\d{2}$/.test(text) ? `${text.padStart(5, '0')}:00` : undefined;
  const advice = repaired !== undefined && timeOfDay.test(repaired) ? `: write ${repaired}` : '';
  return `${quote(text)} is not a time of day from 00:00:00 to 23:59:59 (HH:MM:SS)${advice}`;
}
