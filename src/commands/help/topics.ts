import { settings } from '../../config/settings.ts';
import { ExitCode, type ExitCodeName, exitCodeMeanings } from '../../exit-codes.ts';

/** Help topics by name; each makes its text from the table that the program itself works with. */
export const topics: Readonly<Record<string, () => string>> = {
  environment,
  'exit-codes': exitCodes,
};

function exitCodes(): string {
  const names = Object.keys(ExitCode) as ExitCodeName[];
  const lines = names.map((name) => `${String(ExitCode[name]).padStart(5)}  ${exitCodeMeanings[name]}`);
  return ['Exit codes', '', ...lines, ''].join('\n');
}

function environment(): string {
  const rows = settings.filter((setting) => setting.env !== undefined);
  const width = Math.max(...rows.map(({ env }) => env?.length ?? 0));
  const lines = rows.map(({ env, summary }) => `  ${(env ?? '').padEnd(width)}  ${summary}`);
  return [
    'Environment variables',
    '',
    ...lines,
    '',
    'A flag wins over a variable, a variable over the profile. Of INNCTL_SAFETY, INNCTL_PROTECT and INNCTL_FREEZE,',
    'and what the profile says of them, the strictest counts.',
    '',
  ].join('\n');
}
