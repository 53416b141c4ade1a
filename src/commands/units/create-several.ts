import { CliError, invalidInput } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { canonical } from '../../model/canonical.ts';
import { unitNameProblem } from '../../model/inventory-fields.ts';
import { expandNames, expandRange } from '../../model/ranges.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import { counted, firstOf } from '../../model/text.ts';
import { deriveKey } from '../../seed/keys.ts';
import { usableId } from '../../seed/property-index.ts';
import { bodyOf, type CreateFlags } from '../inventory/creating.ts';
import { everyRecord, units } from '../inventory/kind.ts';
import { afterSome, chunksOf, resultShape } from '../inventory/several.ts';
import { isPiped, settledByRepeating, withValue } from '../lines.ts';

/** Units of one request: the service does not say how many it takes. */
export const UNITS_PER_CALL = 50;

const MOST_DETAILS = 20;

/** What is known of the units of a property, by name. */
type Units = ReadonlyMap<string, ServiceRecord>;

/**
 * Creates the units of --names, 50 with each request; `undefined` if there are no such names.
 *
 * The answers have ids without names, so that the list decides what was created. Keys are derived from one key, the property
 * and the names of a request: the same command with that key continues.
 *
 * @throws {CliError} exit 2 with all problems of the names, exit 6 for names that exist, exit 9 if only some were created.
 * @throws {OutcomeUnknown} with the command that settles it.
 */
export function createUnits(
  values: ServiceRecord,
  flags: CreateFlags,
  session: Session,
): Promise<void> | undefined {
  const { name, names: given, ...alike } = values;
  if (!Array.isArray(given)) return undefined;
  const names = expandNames(given.map(String));
  const problems = [
    ...('problem' in names ? [names.problem] : []),
    ...(name === undefined ? [] : ['gives the names: leave --name out']),
    ...(alike['connects'] === undefined
      ? []
      : ['cannot be combined with --connects: a unit is part of one other']),
  ];
  if ('problem' in names || problems.length > 0)
    throw invalidInput(problems.map((reason) => ({ field: '--names', reason })));
  return create({ names, alike, property: String(values['property']) }, flags, session);
}

/** What is wrong with a name or a range of names, or `undefined`. */
export function namesProblem(text: string): string | undefined {
  const names = expandRange(text);
  return 'problem' in names ? names.problem : unitNameProblem(names.at(-1) ?? '');
}

/** The units to create: they differ by name alone. */
interface Wanted {
  readonly names: readonly string[];
  readonly alike: ServiceRecord;
  readonly property: string;
}

async function create(
  { names, alike, property }: Wanted,
  flags: CreateFlags,
  session: Session,
): Promise<void> {
  const { api, context, globals, out } = session;
  const before = await unitsAt(property, session);
  // With its key a command continues what it began.
  const isContinued = flags.idempotencyKey !== undefined;
  if (!isContinued) refuseExisting(names, before, property, flags);
  const body = await bodyOf(alike, session);
  const key = flags.idempotencyKey ?? context.uuid();
  const chunks = chunksOf(names, UNITS_PER_CALL);
  if (globals.dryRun === true && chunks.length > 1)
    await out.note(`${counted(names.length, 'unit')} in ${chunks.length} requests; this is the first.`);
  const created: string[] = [];
  try {
    for (const chunk of chunks) {
      const left = chunk.filter((name) => !before.has(name));
      const [isDone, isPartly] = [left.length === 0, isContinued && left.length < chunk.length];
      if (isDone) continue;
      if (isPartly) refuseExisting(chunk, before, property, flags);
      const bodies = left.map((name) => ({ ...body, name }));
      const find = async () => idsOf(left, await unitsAt(property, session));
      await api.units.createAll(bodies, deriveKey(key, property, canonical([...left].sort()), 0), { find });
      created.push(...left);
    }
  } catch (error) {
    const argv = withValue(context.argv, '--idempotency-key', key);
    const again = settledByRepeating(argv, isPiped(flags.file));
    throw afterSome(error, { done: created.length, all: names.length, as: 'created' }, again);
  }
  const found = await unitsAt(property, session).catch(unlessFailed);
  await report(names, created, found, key, session);
}

/** The ids of units, if all of them exist; `undefined` if none does. @throws {CliError} `cannot_tell`. */
function idsOf(names: readonly string[], found: Units): readonly string[] | undefined {
  const ids = names.flatMap((name) => usableId(found.get(name)?.['id']) ?? []);
  if (ids.length === 0) return undefined;
  if (ids.length === names.length) return ids;
  const sentence = `${ids.length} of ${counted(names.length, 'unit')} are there.`;
  throw new CliError('cannot_tell', sentence);
}

/** The units of a property, archived ones too. */
async function unitsAt(property: string, session: Session): Promise<Units> {
  const records = await everyRecord(units, property, session);
  return new Map(records.map((record) => [String(record['name']), record]));
}

/** @throws {CliError} `already_exists`, exit 6, with the names that exist; with --if-not-exists only with archived ones. */
function refuseExisting(
  names: readonly string[],
  existing: Units,
  property: string,
  { ifNotExists }: CreateFlags,
): void {
  const taken = names.map((name) => existing.get(name)).filter((unit) => unit !== undefined);
  const refused = taken.filter(({ is_archived: isArchived }) => ifNotExists !== true || isArchived === true);
  if (refused.length === 0) return;
  const details = refused.map(({ name, id, is_archived: isArchived }) => ({
    field: String(name),
    reason: isArchived === true ? `is there already, archived: ${id}` : `is there already: ${id}`,
  }));
  const sentence = `There are units with these names at ${property} already; nothing was sent.`;
  throw new CliError('already_exists', sentence, {
    exitCode: ExitCode.refused,
    details: details.slice(0, MOST_DETAILS),
  });
}

/** For `catch`: without the list nothing but the ids is missing. */
function unlessFailed(cause: unknown): Units {
  if (!(cause instanceof CliError)) throw cause;
  return new Map();
}

/** Prints every unit with its id; warns of those that the list does not show yet. */
async function report(
  names: readonly string[],
  created: readonly string[],
  found: Units,
  key: string,
  { out }: Session,
): Promise<void> {
  const unseen = created.filter((name) => !found.has(name));
  const isNew = new Set(created);
  const records = names.map((name) => ({ id: found.get(name)?.['id'], name, created: isNew.has(name) }));
  await out.records(resultShape(units.noun, 'id', 'name', 'created'), onePage(records), {
    idempotency_key: key,
  });
  await out.note(`Created ${counted(created.length, 'unit')} with the key ${key}.`);
  if (unseen.length > 0)
    await out.warn(`The list does not show these yet: ${firstOf(unseen, MOST_DETAILS).join(', ')}.`);
}
