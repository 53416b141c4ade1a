import { nearest } from '../checks/nearest.ts';
import { quote } from '../checks/text.ts';
import { type CliError, usageError } from '../errors.ts';
import type { Selected, Sources } from './candidates.ts';
import type { ConfigDocument } from './document.ts';
import { SANDBOX } from './profile-name.ts';
import type { Sourced } from './reader.ts';
import { settingTable } from './settings.ts';

/** The profile in effect and what says so. */
export interface Selection extends Selected {
  readonly source: string;
  /** What else names a profile, the strongest first. */
  readonly overrides: readonly Sourced<string>[];
}

/**
 * The profile that a flag, INNCTL_PROFILE or `profiles use` names, in this order; `undefined` when nothing does.
 *
 * @throws {CliError} exit 2 when there is no such profile, or when --sandbox and --profile disagree.
 */
export function selectProfile({ flags, env, document }: Sources): Selection | undefined {
  const { sandbox, profile } = flags;
  if (sandbox === 'true' && profile !== undefined && profile !== SANDBOX) {
    throw usageError(`--sandbox and --profile ${profile} contradict each other.`, 'Leave one of them out.');
  }
  const variable = settingTable.profile.env;
  const [winner, ...overrides] = [
    { value: sandbox === 'true' ? SANDBOX : undefined, source: 'flag --sandbox', byFlag: true },
    { value: profile, source: 'flag --profile', byFlag: true },
    { value: env[variable] === '' ? undefined : env[variable], source: variable, byFlag: false },
    { value: document.active_profile, source: 'profiles use', byFlag: false },
  ].flatMap(({ value, ...by }) => (value === undefined ? [] : [{ value, ...by }]));
  if (winner === undefined) return undefined;
  const { value: name, source, byFlag } = winner;
  if (!profileNames(document).includes(name)) throw unknownProfile(name, document, source);
  return { name, source, byFlag, overrides: overrides.map(({ value, source }) => ({ value, source })) };
}

/** The names of all profiles, the sandbox last. */
export function profileNames(document: ConfigDocument): readonly string[] {
  return [
    ...Object.keys(document.profiles)
      .filter((name) => name !== SANDBOX)
      .sort(),
    SANDBOX,
  ];
}

/** There is no profile of that name. Exit 2. */
export function unknownProfile(name: string, document: ConfigDocument, source?: string): CliError {
  const names = profileNames(document);
  const meant = nearest(name, names);
  const where = source === undefined ? '' : ` (${source})`;
  return usageError(
    `There is no profile ${quote(name)}${where}. There are: ${names.join(', ')}.`,
    meant === undefined ? 'innctl profiles list' : `Did you mean ${meant}?`,
  );
}
