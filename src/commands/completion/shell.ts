import { type CliError, usageError } from '../../cli/errors.ts';
import { nearest } from '../../model/names.ts';
import { quote } from '../../model/text.ts';
import { type Shell, shells } from '../../reference/completions/files.ts';

/** Other names, and shells that are close to one of ours. */
const meant: ReadonlyMap<string, Shell> = new Map([
  ['pwsh', 'powershell'],
  ['ps', 'powershell'],
  ['sh', 'bash'],
  ['dash', 'bash'],
  ['ksh', 'bash'],
]);

/**
 * The shell of that name.
 *
 * @throws {CliError} exit 2 with the one that was probably meant: `/bin/zsh` means zsh.
 */
export function shellFrom(word: string): Shell {
  const found = shells.find((shell) => shell === word);
  if (found === undefined) throw unknownShell(word);
  return found;
}

function unknownShell(word: string): CliError {
  const name = (word.split(/[\\/]/).at(-1) ?? '').replace(/^-|\.exe$/gi, '').toLowerCase();
  const alike = shells.toSorted((one, other) => Number(isAlike(other, name)) - Number(isAlike(one, name)));
  const shell = meant.get(name) ?? nearest(name, alike);
  const guess = shell === undefined ? '' : `; did you mean ${shell}?`;
  return usageError(
    `There are no completions for ${quote(word)}, only for ${shells.join(', ')}${guess === '' ? '.' : guess}`,
    `innctl completion ${shell ?? shells[0]}`,
  );
}

/** Of two names that are equally close, the one with the same first letter was meant: fsh is fish. */
function isAlike(shell: Shell, name: string): boolean {
  return shell.charAt(0) === name.charAt(0);
}
