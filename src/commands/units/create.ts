import { type Item, itemFor } from '../../change/item.ts';
import { isPiped, type Settling, settledByRepeating, withSettling } from '../../change/lines.ts';
import { isArchived, usableId } from '../../change/listing.ts';
import { type Created, create, type Settle } from '../../change/rows.ts';
import { CliError, ExitCode, invalidInput, OutcomeUnknown } from '../../model/errors.ts';
import { Interruption } from '../../model/ports.ts';
import { expandNames } from '../../model/ranges.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import { counted, firstOf } from '../../model/text.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Shape } from '../../print/output.ts';
import { UNITS_A_REQUEST } from '../../service/inventory.ts';
import type { Session } from '../../session/session.ts';
import { type CreateFlags, creating, itemOf } from '../inventory/creating.ts';
import { everyRecord, units } from '../inventory/kind.ts';

/**
 * `units create`: POST /inventory/v1/units, or /inventory/v1/units/bulk with --names, always with an idempotency key.
 *
 * Whether the service refuses a name that exists already is not documented: the list is read first.
 */
export const createUnit = creating(
  'unit',
  {
    examples: [
      'units create --property BER --group DBL --name 301 --description en="Queen bed" --max-persons 2',
      'units create --property BER --group DBL --names 501..528 --description en="Queen bed" --max-persons 2',
      'units create --file unit.yaml --attribute BALCONY --dry-run',
    ],
    description:
      'Create a unit, or with --names several alike, from flags, a file, or both; flags override the file. Prompts for missing values on a terminal.',
  },
  createUnits,
);

const MOST_DETAILS = 20;

/**
 * Creates the units of --names, 50 with each request; `undefined` if there are no such names.
 *
 * @throws {CliError} exit 2 with all problems of the names, exit 6 for names that exist, exit 9 if only some were created.
 * @throws {OutcomeUnknown} with the command that settles it.
 */
function createUnits(values: ServiceRecord, flags: CreateFlags, session: Session): Promise<void> | undefined {
  const { name, names: given, ...alike } = values;
  if (!Array.isArray(given)) return undefined;
  const expanded = expandNames(given.map(String));
  const problems = [
    ...('problem' in expanded ? [expanded.problem] : []),
    ...(name === undefined ? [] : ['gives the names: leave --name out']),
    ...(alike['connects'] === undefined
      ? []
      : ['cannot be combined with --connects: a unit is part of one other']),
  ];
  if ('problem' in expanded || problems.length > 0)
    throw invalidInput(problems.map((reason) => ({ field: '--names', reason })));
  return createEach(expanded, alike, flags, session);
}

async function createEach(
  all: readonly string[],
  alike: ServiceRecord,
  flags: CreateFlags,
  session: Session,
): Promise<void> {
  const { context, globals, out } = session;
  const journal = await session.journal();
  const property = String(alike['property']);
  // Before the list: what others create after that is looked for again.
  const history = await journal.read();
  const listed = await everyRecord(units, property, session);
  const before = new Map(listed.map((record) => [String(record['name']), record]));
  const { links } = await itemOf(units, alike, session);
  const items = all.map((each, place) =>
    itemFor({ kind: 'unit', name: `${property}/${each}` }, 'create', {
      ...{ body: { ...alike, name: each }, links, place: all.length === 1 ? undefined : place },
    }),
  );
  const nameOf = ({ body = {} }: Item) => String(body['name']);
  const left = items.filter((item) => !before.has(nameOf(item)));
  // With its key a command continues what it began.
  const refuse = (own: Created['own'], some: readonly Item[]) => {
    const others = some.filter((item) => flags.idempotencyKey === undefined && own(item) === undefined);
    const records = others.map((item) => before.get(nameOf(item)) ?? { name: nameOf(item), id: item.id });
    refuseExisting(records, property, flags);
  };
  const rowsOf = async (own: Created['own'], settle: Settle) => {
    const shown = items.filter((item) => before.has(nameOf(item)));
    refuse(own, shown);
    const there = shown.filter((item) => own(item) !== undefined);
    journal.see(
      'unit',
      there.map((item) => ({ name: item.name, id: usableId(before.get(nameOf(item))?.['id']) })),
    );
    const requests = new Set(left.map(({ place = 0 }) => Math.floor(place / UNITS_A_REQUEST))).size;
    if (globals.dryRun === true && requests > 1)
      await out.note(`${counted(left.length, 'unit')} in ${requests} requests; this is the first.`);
    const settled = await settle(left);
    const others = settled.filter(({ action }) => action === 'same');
    refuse(own, others);
    return settled;
  };
  const { idempotencyKey: givenKey } = flags;
  const { results, error, own } = await create({ history, givenKey, rowsOf }, session);
  const done = results.filter(({ outcome }) => outcome === 'done');
  const again = settledByRepeating(context.argv, isPiped(flags.file));
  if (done.length < left.length)
    throw done.length === 0 ? withSettling(error, again) : afterSome(error, done.length, all.length, again);
  const foreign = done.filter(({ isForeign }) => isForeign).map(({ item, id }) => ({ ...item, id }));
  refuse(own, foreign);
  const ids = new Map(done.map(({ item, id }) => [nameOf(item), id]));
  const made = new Set(done.flatMap(({ item, isForeign }) => (isForeign ? [] : [nameOf(item)])));
  const records = all.map((each) => ({
    id: ids.get(each) ?? before.get(each)?.['id'],
    name: each,
    created: made.has(each),
  }));
  await out.records(resultShape, onePage(records), {
    idempotency_key: flags.idempotencyKey ?? journal.runId(),
  });
  await out.note(`Created ${counted(made.size, 'unit')}.`);
  const unseen = done.filter(({ isListed }) => isListed === false).map(({ item }) => nameOf(item));
  if (unseen.length > 0)
    await out.warn(`The list does not show these yet: ${firstOf(unseen, MOST_DETAILS).join(', ')}.`);
}

/** How the units of --names are listed. */
const resultShape: Shape = { noun: units.noun, columns: columnsOf('id name created'), ofWrites: true };

/** The error of the first unit that was not created, after some were. */
function afterSome(error: unknown, done: number, all: number, again: Settling): unknown {
  if (!(error instanceof CliError || error instanceof Interruption)) return error;
  const message = `${error.message} ${done} of ${all} units are created.`;
  if (error instanceof OutcomeUnknown) return withSettling(error.with({ message }), again);
  const hint = `To continue: ${again.line}`;
  const { exitCode } = error;
  if (error instanceof Interruption) return new CliError('interrupted', message, { exitCode, hint });
  const isRefused = exitCode === ExitCode.refused;
  return error.with({ message, exitCode: isRefused ? ExitCode.partlyDone : exitCode, hint });
}

/** @throws {CliError} `already_exists`, exit 6, with the units that exist; with --if-not-exists only with archived ones. */
function refuseExisting(taken: readonly ServiceRecord[], property: string, { ifNotExists }: CreateFlags) {
  const refused = taken.filter((record) => ifNotExists !== true || isArchived(record));
  if (refused.length === 0) return;
  const details = refused.map((record) => ({
    field: String(record['name']),
    reason: `is there already${isArchived(record) ? ', archived' : ''}: ${record['id']}`,
  }));
  const sentence = `There are units with these names at ${property} already; nothing was sent.`;
  throw new CliError('already_exists', sentence, {
    exitCode: ExitCode.refused,
    details: details.slice(0, MOST_DETAILS),
  });
}
