import { type ConfigDocument, storedProfile } from '../config/file.ts';
import { settingTable } from '../config/settings.ts';
import {
  CliError,
  Concluded,
  detailsFor,
  ExitCode,
  errorText,
  refuseInvalid,
  usageError,
} from '../model/errors.ts';
import type { Context } from '../model/ports.ts';
import { onePage, type ServiceRecord } from '../model/records.ts';
import { counted, quote } from '../model/text.ts';
import type { Facts, Output, Shape } from '../print/output.ts';
import { shellLine } from '../print/text.ts';
import type { DescribedCommand } from './command-line.ts';

/** The last words of the commands that read from several profiles. */
const VERBS = ['list', 'get', 'report', 'check', 'diff', 'drift'];

/** Settings in the environment that would make one account of all profiles. */
const OF_ACCOUNT = ['base_url', 'identity_url', 'token', 'client_id', 'client_secret'] as const;

/** What one profile printed. */
interface Printed {
  readonly shape: Shape;
  readonly records: readonly ServiceRecord[];
  /** Whether there is more than that. */
  readonly truncated: boolean;
  readonly facts: Facts;
}

/**
 * Refuses --profiles for a command that does not read lists and records of the service.
 *
 * @throws {CliError} exit 2; for a change with the loop that does it.
 */
export function refuseOther(
  typed: readonly string[],
  command: DescribedCommand,
  { argv }: Pick<Context, 'argv'>,
  document: () => ConfigDocument,
): void {
  const { effect, on } = command.about;
  if (on === 'service' && effect === 'reads' && VERBS.includes(command.name())) return;
  if (on !== 'service' || effect === 'reads')
    throw usageError('--profiles is for lists, get, access report, access check, access diff and drift.');
  const at = argv.findIndex((word) => /^--profiles(?:=|$)/.test(word));
  const others = shellLine(['innctl', ...argv.toSpliced(at, argv[at] === '--profiles' ? 2 : 1)]);
  const names = shellLine(typed.includes('all') ? accountsIn(document()) : [...new Set(typed)]);
  const sentence = '--profiles only reads; changes are made in one profile at a time. Nothing was sent.';
  throw usageError(sentence, `for name in ${names}; do ${others} --profile "$name"; done`);
}

/**
 * The profiles that --profiles names, each once.
 *
 * @throws {CliError} exit 2 for a name that no profile has, and for what would make one account of all.
 */
export function namedProfiles(
  typed: readonly string[],
  one: string | undefined,
  { env }: Pick<Context, 'env'>,
  document: ConfigDocument,
): readonly string[] {
  const isAll = typed.includes('all');
  const names = isAll ? accountsIn(document) : [...new Set(typed)];
  const isKnown = (name: string) => name === 'sandbox' || storedProfile(document, name) !== undefined;
  const unknown = isAll ? [] : names.filter((name) => !isKnown(name));
  const variables = OF_ACCOUNT.map((key) => settingTable[key].env).filter((name) => (env[name] ?? '') !== '');
  const details = [
    ...detailsFor('--profiles', one === undefined ? undefined : `contradicts --profile ${one}`),
    ...detailsFor('--profiles', isAll && typed.length > 1 ? 'all cannot be combined with names' : undefined),
    ...detailsFor('--profiles', names.length === 0 ? 'there is no profile' : undefined),
    ...unknown.flatMap((name) => detailsFor('--profiles', `there is no profile ${quote(name)}`)),
    ...variables.flatMap((name) => detailsFor(name, 'is set, and would count for all profiles: unset it')),
  ];
  refuseInvalid(details, 'innctl profiles list');
  return names;
}

/** The profiles that have a service; others hold guards and defaults. */
function accountsIn({ profiles }: ConfigDocument): readonly string[] {
  const isAccount = (name: string) =>
    ['base_url', 'identity_url'].some((key) => key in (profiles[name] ?? {}));
  return Object.keys(profiles).filter(isAccount);
}

/**
 * Reads from several profiles at the same time, and prints what they have as one list with the column `profile`.
 *
 * @param readOne runs the command for one profile, which prints to the output that it is given.
 * @throws {CliError} exit 2 as all of them; exit 9 with a detail for each profile that failed, after the others were printed. {Concluded} as one of them.
 */
export async function readProfiles(
  names: readonly string[],
  out: Output,
  readOne: (name: string, out: Output) => Promise<void>,
): Promise<void> {
  let concluded: Concluded | undefined;
  const reading = names.map(async (name) => {
    const printed: Printed[] = [];
    try {
      await readOne(name, keeping(name, printed, out));
    } catch (error) {
      if (error instanceof CliError) return { name, error, printed: [] };
      if (!(error instanceof Concluded)) throw error;
      concluded = error;
    }
    return { name, printed };
  });
  const read = await Promise.all(reading);
  const [wrong] = read.flatMap(({ error }) => error ?? []);
  // A command line that is wrong is wrong for each of them.
  if (read.every(({ error }) => error?.exitCode === ExitCode.usage)) throw wrong;
  const [first, ...others] = read.flatMap(({ printed }) => printed);
  if (first !== undefined) {
    const all = [first, ...others];
    const items = all.flatMap(({ records }) => records);
    const isCut = all.some(({ truncated }) => truncated);
    const profiles = all.map(({ facts }) => facts);
    const outcomes = all.flatMap(({ shape, facts }) =>
      shape.outcome === undefined ? [] : `${facts['profile']}: ${shape.outcome}`,
    );
    const shape = { ...withProfile(first.shape), ...(outcomes[0] && { outcome: outcomes.join(' ') }) };
    await out.records(shape, onePage(items, isCut), { profiles });
  }
  const failed = read.flatMap(({ name, error }) =>
    error === undefined ? [] : [{ field: name, reason: textOf(error) }],
  );
  if (failed.length > 0) {
    const sentence = `${failed.length} of ${counted(names.length, 'profile')} could not be read.`;
    throw new CliError('profiles_failed', sentence, { exitCode: ExitCode.partlyDone, details: failed });
  }
  if (concluded !== undefined) throw concluded;
}

function textOf(error: CliError): string {
  return error.hint === undefined ? errorText(error) : `${errorText(error)} (${error.hint})`;
}

/** An output that keeps lists and records; what is said names the profile. */
function keeping(profile: string, printed: Printed[], out: Output): Output {
  const keep = (shape: Shape, records: readonly ServiceRecord[], truncated = false, facts: Facts = {}) => {
    const own = records.map((each) => ({ profile, ...each }));
    printed.push({ shape, records: own, truncated, facts: { profile, ...facts } });
  };
  return {
    ...out,
    async records(shape, pages, facts) {
      const records: ServiceRecord[] = [];
      let isCut = false;
      for await (const { items, truncated } of pages) {
        records.push(...items);
        isCut ||= truncated;
      }
      keep(shape, records, isCut, facts);
    },
    record: async (shape, record) => keep(shape, [record]),
    note: (sentence) => out.note(`${profile}: ${sentence}`),
    warn: (sentence) => out.warn(`${profile}: ${sentence}`),
  };
}

function withProfile({
  gathered: _,
  columns,
  table = columns,
  id = columns[0]?.field ?? '',
  ...shape
}: Shape): Shape {
  const profile = { field: 'profile', header: 'Profile' };
  return { ...shape, id, columns: [profile, ...columns], table: [profile, ...table] };
}
