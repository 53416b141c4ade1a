import type { About } from '../described-command.ts';
import { ExitCode, type ExitCodeName, exitCodeMeanings } from '../exit-codes.ts';

const atTheService = {
  reads: 'Reads from the service, and changes nothing there.',
  writes: 'Changes something at the service.',
  destroys: 'Can delete something at the service, lock somebody out, or change anything there.',
} as const;

const onThisMachine = {
  reads: 'Works on this machine alone, and changes nothing.',
  writes: 'Changes something on this machine; the service is not asked.',
  destroys: 'Removes something on this machine for good; the service is not asked.',
} as const;

/** What a command does to what it works on, as a sentence; `undefined` for a group of commands. */
export function effectSentence({ effect, on }: About): string | undefined {
  if (effect === undefined) return undefined;
  return on === 'service' ? atTheService[effect] : onThisMachine[effect];
}

/** What an exit code says. */
export function meaningOf(code: ExitCode): string {
  // The table is declared with these names and no others.
  const names = Object.keys(ExitCode) as ExitCodeName[];
  const name = names.find((each) => ExitCode[each] === code);
  return name === undefined ? '' : exitCodeMeanings[name];
}
