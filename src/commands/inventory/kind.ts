import { serviceLine } from '../../change/lines.ts';
import { idIn } from '../../change/listing.ts';
import { nameTest, type Referred, resolveAll, usable } from '../../change/resolve.ts';
import { ofListedProperties } from '../../change/suggest.ts';
import { inventoryName } from '../../files/entry.ts';
import { CliError, detailsFor, ExitCode, refuseInvalid } from '../../model/errors.ts';
import {
  type InventoryKind as EntryKind,
  fieldOf,
  kindTable,
  kindText,
  nouns,
  resources,
  severalOf,
} from '../../model/kinds.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { idProblem, nearest, quote, suggestion } from '../../model/text.ts';
import type { Shape } from '../../print/output.ts';
import type { Query } from '../../service/dialect.ts';
import { kindOperations } from '../../service/operations.ts';
import { readAll } from '../../service/paging.ts';
import type { Api } from '../../service/service.ts';
import type { Session } from '../../session/session.ts';
import { refuseBeyond, suggestReference } from '../options.ts';
import { nameIn } from '../properties/reference.ts';
import { unitAttributeShape, unitGroupShape, unitShape } from '../shapes.ts';

/** Unit groups, units or unit attributes, as far as their commands are alike. */
export type InventoryKind = ReturnType<typeof inventoryKind>;

/** @param everything the filter with which a list has every record. */
function inventoryKind(entryKind: EntryKind, shape: Shape, everything: Query = {}) {
  const words = nouns[entryKind];
  const noun = [kindText(entryKind), severalOf(entryKind)] as const;
  // The field that people call a record by, besides its id: unique within a property, or the account.
  const calledBy = entryKind === 'unit_group' ? 'code' : 'name';
  const resource = (api: Api): Omit<Api['unitAttributes'], 'update'> => api[resources[entryKind]];
  const operations = kindOperations[entryKind];
  const referred: Referred = {
    noun,
    argument: 'id',
    field: 'id',
    list: (api) => resource(api).list({}, {}),
    refuse: (session) => refuseElsewhere({ words, operations }, session),
    listWords: [words, 'list'],
    misspelt: (typed, api) => ({ words: typed, resource: resource(api), fields: ['id'] }),
    referenceOf: ({ id }) => usable(id, idProblem),
    namesOf: (record) => [nameIn(record), ...[record[calledBy]].filter((each) => typeof each === 'string')],
    detailsOf: ({ code, type }) => [code, type],
  };
  const ofProperty = fieldOf(entryKind, 'property') !== undefined;
  const { expansions } = kindTable[entryKind];
  const about = { entryKind, words, noun, operations, shape, calledBy, ofProperty, expansions } as const;
  return { ...about, resource, everything, referred };
}

export const inventoryKinds = {
  unit_group: inventoryKind('unit_group', unitGroupShape),
  unit: inventoryKind('unit', unitShape, { status: 'All' }),
  unit_attribute: inventoryKind('unit_attribute', unitAttributeShape),
} as const satisfies Record<EntryKind, InventoryKind>;

export const { unit_group: unitGroups, unit: units, unit_attribute: unitAttributes } = inventoryKinds;

/** Refuses a service without these commands. @throws {CliError} exit 2. */
export function refuseElsewhere(
  { words, operations }: { readonly words: string; readonly operations: (typeof kindOperations)[EntryKind] },
  session: Session,
): void {
  refuseBeyond(operations.list, `innctl ${words}`, session.api);
}

/** Every record of a kind, of one property if it is given. @throws {CliError} exit 3 if there is no such property. */
export function everyRecord(
  { resource, everything, noun }: InventoryKind,
  property: string | undefined,
  session: Session,
): Promise<readonly ServiceRecord[]> {
  const all = resource(session.api).listAll({ property_id: property, ...everything });
  return readAll(ofListedProperties(all, property, session), noun[1], `look for ${noun[1]}`);
}

/** A record that a word of the command line names. */
export interface NamedRecord {
  readonly word: string;
  readonly id: string;
  readonly record: ServiceRecord;
}

/** How the records are found that a command line names. */
interface Finding {
  /** Codes and names of this property count besides ids. */
  readonly property: string | undefined;
  readonly isWrite?: true;
  readonly read: (id: string) => Promise<ServiceRecord>;
}

/**
 * The records that words mean, each once.
 *
 * @throws {CliError} exit 2 with all words that are no ids; exit 3 with a suggestion, exit 12 with candidates.
 */
export async function resolveInventory(
  words: readonly string[],
  kind: InventoryKind,
  { property, isWrite, read }: Finding,
  session: Session,
): Promise<readonly NamedRecord[]> {
  const isName = nameTest(session);
  const [field, ids] =
    property === undefined ? ['id', words.filter((word) => !isName(word))] : ['--property', [property]];
  refuseInvalid(ids.flatMap((id) => detailsFor(field, idProblem(id))));
  const known = property === undefined ? undefined : await everyRecord(kind, property, session);
  const find = async (word: string): Promise<NamedRecord> => {
    const id = known === undefined ? word : idCalled(word, known, kind, property, session);
    const reading = read(id);
    const record = await (words.length === 1
      ? reading.catch(suggestReference(kind.referred, id, session.api))
      : reading);
    return { word, id, record };
  };
  return resolveAll(words, kind.referred, { find, idOf: ({ id }) => id, isWrite }, session);
}

/**
 * The ids of the records that flags and fields name by id, code or name, by word.
 *
 * @throws {CliError} exit 3 and 12 for words that are not one record.
 */
export async function idsCalled(
  kind: InventoryKind,
  words: readonly string[],
  property: string | undefined,
  session: Session,
): Promise<ReadonlyMap<string, string>> {
  if (words.length === 0) return new Map();
  const records = await everyRecord(kind, property, session);
  return new Map(words.map((word) => [word, idCalled(word, records, kind, property, session)]));
}

/** What plans and the journal call a record: `BER/201`; its id if that is not known. */
export function nameOf({ entryKind }: InventoryKind, { id, record }: NamedRecord): string {
  return inventoryName(entryKind, { ...record, property: idIn(record['property']) }) ?? id;
}

/** The id of the record that has it, or else the code or name. */
function idCalled(
  word: string,
  records: readonly ServiceRecord[],
  { noun: [one, several], words, calledBy, ofProperty }: InventoryKind,
  property: string | undefined,
  { globals }: Session,
): string {
  const withId = records.filter(({ id }) => id === word);
  const found = withId.length > 0 ? withId : records.filter((record) => record[calledBy] === word);
  const ids = found.flatMap(({ id }) => usable(id, idProblem) ?? []);
  const [id, ...others] = ids;
  const where = property === undefined ? '' : ` at ${property}`;
  if (id === undefined) {
    const known = records.flatMap((record) => [record[calledBy], record['id']]);
    const names = known.filter((each) => typeof each === 'string');
    const meant = suggestion(nearest(word, names)) || '.';
    throw new CliError('not_found', `There is no ${one} ${quote(word)}${where}${meant}`, {
      exitCode: ExitCode.notFound,
      hint: serviceLine(
        globals,
        ...[words, 'list', ...(ofProperty && property !== undefined ? ['--property', property] : [])],
      ),
    });
  }
  if (others.length === 0) return id;
  const more = ofProperty && property === undefined ? ', or give its --property' : '';
  throw new CliError('ambiguous', `${ids.length} ${several} are called ${quote(word)}${where}.`, {
    exitCode: ExitCode.ambiguous,
    hint: `Name the one you mean by its id${more}.`,
    details: ids.map((reason) => ({ field: 'id', reason })),
  });
}
