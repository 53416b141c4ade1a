import { shellLine } from '../../render/shell.ts';
import { type Draft, valueAt } from './body.ts';
import { type PropertyField, propertyFields } from './fields.ts';

/**
 * The command that repeats a creation under its key, as one line for the shell.
 *
 * @param file the file that the fields came from, where it can be read again.
 */
export function settleCommand(
  draft: Draft,
  key: string,
  file: string | undefined,
  profile: string | undefined,
): string {
  const again = file === '-' ? undefined : file;
  return shellLine([
    'innctl',
    ...(profile === undefined ? [] : ['--profile', profile]),
    'properties',
    'create',
    ...(again === undefined ? [] : ['--file', again]),
    ...propertyFields
      .filter((field) => again === undefined || draft.nameOf(field).startsWith('--'))
      .flatMap((field) => flagsOf(field, valueAt(draft.body, field))),
    '--idempotency-key',
    key,
  ]);
}

function flagsOf({ flag, kind }: PropertyField, value: unknown): readonly string[] {
  if (kind === 'text') return value === undefined ? [] : [`--${flag}`, String(value)];
  const texts = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return texts.flatMap(([language, text]) => [`--${flag}`, `${language}=${text}`]);
}
