import { readFileSync } from 'node:fs';
import { completionFiles, type Shell } from '../../src/reference/values.ts';

/** The completion script of each shell. */
export const stubs: Readonly<Record<Shell, string>> = {
  bash: stubOf('bash'),
  zsh: stubOf('zsh'),
  fish: stubOf('fish'),
  powershell: stubOf('powershell'),
};

function stubOf(shell: Shell): string {
  return readFileSync(`completions/${completionFiles[shell]}`, 'utf8');
}
