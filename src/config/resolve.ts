import { type CliError, usageError } from '../cli/errors.ts';
import { didYouMean, nearest } from '../model/names.ts';
import { quote } from '../model/text.ts';
import type { Format } from '../out/output.ts';
import type { DialectName } from '../service/dialect-names.ts';
import type { GuardRules } from '../service/guard.ts';
import { candidatesFor, type Selected, type Sources, targetVariables } from './candidates.ts';
import type { ConfigDocument } from './document.ts';
import { createReader, type Effective, type Sourced } from './reader.ts';
import { settingTable } from './settings.ts';
import { isInsecure } from './urls.ts';
import { SANDBOX } from './values.ts';

/** All settings of a run. */
export interface Settings {
  readonly profile: Sourced<string> | undefined;
  /** Whether the built-in sandbox is meant; it has no URLs of its own here. */
  readonly sandbox: boolean;
  readonly identityUrl: Sourced<string> | undefined;
  readonly baseUrl: Sourced<string> | undefined;
  readonly tokenUrl: Sourced<string> | undefined;
  readonly issuer: Sourced<string> | undefined;
  readonly clientId: Sourced<string> | undefined;
  readonly scope: Sourced<string> | undefined;
  readonly dialect: Sourced<DialectName>;
  readonly auth: Sourced<'token' | 'client-credentials' | 'user'> | undefined;
  /** From the environment; a profile's own is among its credentials. */
  readonly token: Sourced<string> | undefined;
  /** From the environment; a profile's own is among its credentials. */
  readonly clientSecret: Sourced<string> | undefined;
  /** Prints a token; used where neither a token nor a client secret comes from the environment. */
  readonly credentialCommand: Sourced<string> | undefined;
  /** Who must be asking, from every place that says so; all of them must be right. */
  readonly expectAccount: readonly Sourced<string>[];
  readonly idempotencyHeader: Sourced<string>;
  readonly output: Sourced<Format> | undefined;
  readonly timeoutSeconds: Sourced<number> | undefined;
  readonly maxAttempts: Sourced<number>;
  readonly color: Sourced<'auto' | 'always' | 'never'> | undefined;
  readonly caFile: Sourced<string> | undefined;
  readonly maxBodyMiB: Sourced<number>;
  readonly insecureHttp: Sourced<boolean>;
  readonly noInput: Sourced<boolean>;
  readonly completeEmails: Sourced<boolean>;
  /** What must not be written: the profile and the environment together, whatever they are and whichever is stricter. */
  readonly guards: GuardRules;
  /** Sentences that a command which goes to the service says first. */
  readonly warnings: readonly string[];
  /** Every setting that has a value, in the order of the registry. */
  readonly effective: readonly Effective[];
}

/**
 * The settings of a run: a flag wins over a variable, a variable over the profile, the profile over the default.
 * A profile that a flag names, and the sandbox always, take no service and no credential from variables.
 * Of guards no place wins: all of them count.
 *
 * @throws {CliError} exit 2 naming every value that is not valid, or the profile that does not exist.
 */
export function resolveSettings(from: Sources): Settings {
  const selection = selectProfile(from);
  const profile = selection && { value: selection.name, source: selection.source };
  const sandbox = selection?.name === SANDBOX;
  const { all, find, need, effective } = createReader((setting) => candidatesFor(setting, from, selection));
  const identityUrl = find(settingTable.identity_url);
  const baseUrl = find(settingTable.base_url);
  const tokenUrl = find(settingTable.token_url);
  return {
    profile,
    sandbox,
    identityUrl,
    baseUrl,
    tokenUrl,
    issuer: find(settingTable.issuer),
    clientId: find(settingTable.client_id),
    scope: find(settingTable.scope),
    dialect: need(settingTable.dialect),
    auth: find(settingTable.auth),
    token: find(settingTable.token),
    clientSecret: find(settingTable.client_secret),
    credentialCommand: find(settingTable.credential_command),
    expectAccount: all(settingTable.expect_account),
    idempotencyHeader: need(settingTable.idempotency_header),
    output: find(settingTable.output),
    timeoutSeconds: find(settingTable.timeout),
    maxAttempts: need(settingTable.max_attempts),
    color: find(settingTable.color),
    caFile: find(settingTable.ca_file),
    maxBodyMiB: need(settingTable.max_body),
    insecureHttp: need(settingTable.insecure_http),
    noInput: need(settingTable.no_input),
    completeEmails: need(settingTable.complete_emails),
    guards: {
      safety: need(settingTable.safety),
      protect: all(settingTable.protect),
      freeze: all(settingTable.freeze),
    },
    warnings: [
      ...(sandbox ? ignoredWarning(targetVariables(from.env)) : []),
      ...[identityUrl, baseUrl, tokenUrl].flatMap(insecureWarning),
    ],
    effective: [...selectionShown(selection), ...effective],
  };
}

function selectionShown(selection: Selection | undefined): readonly Effective[] {
  if (selection === undefined) return [];
  const { name, source, overrides } = selection;
  return [{ setting: settingTable.profile, value: name, source, overrides }];
}

function ignoredWarning(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [`The sandbox is in effect: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} ignored.`];
}

function insecureWarning(url: Sourced<string> | undefined): readonly string[] {
  if (url === undefined || !isInsecure(url.value)) return [];
  return [`What goes to ${url.value} (${url.source}) is not encrypted: whoever is on the way can read it.`];
}

/** The profile in effect and what says so. */
interface Selection extends Selected {
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
  const where = source === undefined ? '' : ` (${source})`;
  return usageError(
    `There is no profile ${quote(name)}${where}. There are: ${names.join(', ')}.`,
    didYouMean(nearest(name, names), 'innctl profiles list'),
  );
}
