import { type Detail, invalidInput, usageError } from '../../cli/errors.ts';
import type { LocalSession } from '../../cli/session.ts';
import { parseGiven } from '../../config/resolve.ts';
import { isSecret, type Setting, type SettingKey, settingTable } from '../../config/settings.ts';
import { parseProfileName, SANDBOX } from '../../config/values.ts';
import { decodeFile } from '../../fs/decode.ts';
import { readInput } from '../../fs/read.ts';
import { shellLine } from '../../out/text.ts';
import {
  anyHttp,
  authOf,
  type Entries,
  type Entry,
  flagEntries,
  flagFor,
  missingKeys,
  problemOfKept,
  unusedSecrets,
} from './draft.ts';
import { type Preset, presetEntries, presetNamed } from './presets.ts';
import { readProfileFile } from './store.ts';

/** The flags of `profiles add`. */
export interface AddFlags {
  readonly preset?: string;
  readonly identityUrl?: string;
  readonly baseUrl?: string;
  readonly dialect?: string;
  readonly auth?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly scope?: string;
  readonly credentialCommand?: string;
  readonly idempotencyHeader?: string;
  readonly tokenFile?: string;
  readonly clientSecretFile?: string;
  readonly file?: string;
  readonly insecureStorage?: true;
}

const LARGEST_SECRET = 16_384;

/**
 * Collects the values of a profile; flags override the file, and both override the preset.
 *
 * @throws {CliError} exit 2 with all invalid values and, if prompting is not possible, all missing ones.
 */
export async function gather(name: string, flags: AddFlags, session: LocalSession): Promise<Entries> {
  refuseSharedStdin(flags);
  const { redactor } = session.context;
  const preset = flags.preset === undefined ? undefined : presetNamed(flags.preset);
  const given: Entries = new Map([
    ...(preset === undefined ? [] : presetEntries(preset)),
    ...(flags.file === undefined ? [] : await readProfileFile(flags.file, session.context)),
    ...flagEntries(fromFlags, { ...flags, expectAccount: session.globals.expectAccount }, session.globals),
    ...(await secretEntry('token', flags.tokenFile, session)),
    ...(await secretEntry('client_secret', flags.clientSecretFile, session)),
  ]);
  const entries = preset === undefined ? given : withScopeOf(preset, given);
  refusePeople(name, entries);
  for (const [key, { given }] of entries) if (isSecret(settingTable[key])) redactor.add(String(given).trim());
  const problems = [...nameProblems(name), ...valueProblems(entries), ...unusedSecrets(entries)];
  const missing = session.mayAsk() ? [] : missingKeys(entries);
  const details = [...problems, ...missing.map((key) => ({ field: flagFor(key), reason: 'is missing' }))];
  if (details.length > 0) throw invalidInput(details, 'innctl profiles add --help');
  return entries;
}

/** Adds the preset's scopes for client credentials, unless scopes are given. */
function withScopeOf(preset: Preset, entries: Entries): Entries {
  if (authOf(entries) !== 'client-credentials') return entries;
  return new Map([...presetEntries(preset, preset.clientScope), ...entries]);
}

/** Refuses profiles of people: their tokens come from a login. */
function refusePeople(name: string, entries: Entries): void {
  if (entries.get('auth')?.given !== 'user') return;
  throw usageError(
    'A profile of a person is made by logging in, not by profiles add.',
    `innctl ${shellLine(['login', '--profile', name])}`,
  );
}

function refuseSharedStdin({ file, tokenFile, clientSecretFile }: AddFlags): void {
  const flags = { '--file': file, '--token-file': tokenFile, '--client-secret-file': clientSecretFile };
  const readers = Object.entries(flags).filter(([, path]) => path === '-');
  if (readers.length < 2) return;
  throw usageError(
    `${readers.map(([flag]) => flag).join(' and ')} cannot both read stdin.`,
    'Put one of them into a file.',
  );
}

const fromFlags: readonly SettingKey[] = [
  'identity_url',
  'base_url',
  'dialect',
  'auth',
  'token_url',
  'client_id',
  'scope',
  'credential_command',
  'expect_account',
  'idempotency_header',
];

/** The secret in a file, if one is given. */
export async function secretEntry(
  key: 'token' | 'client_secret',
  path: string | undefined,
  { context }: LocalSession,
  field = flagFor(key),
): Promise<readonly (readonly [SettingKey, Entry])[]> {
  if (path === undefined) return [];
  const bytes = await readInput(path, context.stdin, LARGEST_SECRET, context.signal);
  return [[key, { given: decodeFile(bytes, path === '-' ? 'stdin' : path), field }]];
}

/** The problem with the name of a new profile. */
export function nameProblems(name: string): readonly Detail[] {
  if (name === SANDBOX)
    return [{ field: 'name', reason: 'the profile sandbox is built in; choose another name' }];
  const parsed = parseProfileName(name);
  return 'reason' in parsed ? [{ field: 'name', reason: parsed.reason }] : [];
}

/** The problems of the given values. */
export function valueProblems(entries: Entries): readonly Detail[] {
  return [...entries].flatMap(([key, { given, field }]) => {
    const setting: Setting = settingTable[key];
    const parsed = parseGiven(setting, given, anyHttp);
    const reason = 'reason' in parsed ? parsed.reason : problemOfKept(key, parsed.value);
    return reason === undefined ? [] : [{ field, reason }];
  });
}
