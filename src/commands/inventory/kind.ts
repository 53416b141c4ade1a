import { CliError, detailsFor, refuseInvalid } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { groupExpansions, unitExpansions } from '../../model/inventory-fields.ts';
import { nearest, suggestion } from '../../model/names.ts';
import type { Page, ServiceRecord } from '../../model/records.ts';
import { quote } from '../../model/text.ts';
import type { Shape } from '../../print/output.ts';
import type { InventoryKind as EntryKind } from '../../seed/entry.ts';
import type { OperationId } from '../../service/operations.ts';
import { readAll } from '../../service/paging.ts';
import { idProblem } from '../../service/path.ts';
import type { Api } from '../../service/service.ts';
import { serviceLine } from '../lines.ts';
import { refuseBeyond } from '../options.ts';
import { nameIn } from '../properties/reference.ts';
import { type Referred, usable } from '../references.ts';
import { unitAttributeShape, unitGroupShape, unitShape } from '../shapes.ts';
import { ofListedProperties } from '../suggest.ts';

/** Unit groups, units or unit attributes, as far as their commands are alike. */
export interface InventoryKind {
  readonly noun: readonly [one: string, several: string];
  /** As files name it. */
  readonly entryKind: EntryKind;
  /** The word of the command line. */
  readonly words: 'unit-groups' | 'units' | 'unit-attributes';
  readonly resource: (api: Api) => Omit<Api['unitAttributes'], 'update'>;
  /** Operations by verb. */
  readonly operations: {
    readonly list: 'listUnitGroups' | 'listUnits' | 'listUnitAttributes';
    readonly create: OperationId;
    readonly delete: OperationId;
  };
  readonly shape: Shape;
  /** The field that people call a record by, besides its id: unique within a property, or the account. */
  readonly calledBy: 'code' | 'name';
  /** Each record belongs to a property. */
  readonly ofProperty: boolean;
  /** The values of --expand. */
  readonly expansions: readonly string[];
  /** The filter with which a list has every record. */
  readonly everything: Readonly<Record<string, string>>;
  readonly referred: Referred;
}

function referredTo(kind: Omit<InventoryKind, 'referred'>): InventoryKind {
  const { noun, resource, words, calledBy } = kind;
  const referred: Referred = {
    noun,
    argument: 'id',
    field: 'id',
    list: (api) => resource(api).list({}, {}),
    refuse: (session) => refuseElsewhere(kind, session),
    listWords: [words, 'list'],
    misspelt: (typed, api) => ({ words: typed, resource: resource(api), fields: ['id'] }),
    referenceOf: ({ id }) => usable(id, idProblem),
    namesOf: (record) => [nameIn(record), ...[record[calledBy]].filter((each) => typeof each === 'string')],
    detailsOf: ({ code, type }) => [code, type],
  };
  return { ...kind, referred };
}

export const unitGroups = referredTo({
  noun: ['unit group', 'unit groups'],
  entryKind: 'unit_group',
  words: 'unit-groups',
  resource: (api) => api.unitGroups,
  operations: { list: 'listUnitGroups', create: 'createUnitGroup', delete: 'deleteUnitGroup' },
  shape: unitGroupShape,
  calledBy: 'code',
  ofProperty: true,
  expansions: groupExpansions,
  everything: {},
});

export const units = referredTo({
  noun: ['unit', 'units'],
  entryKind: 'unit',
  words: 'units',
  resource: (api) => api.units,
  operations: { list: 'listUnits', create: 'createUnit', delete: 'deleteUnit' },
  shape: unitShape,
  calledBy: 'name',
  ofProperty: true,
  expansions: unitExpansions,
  everything: { status: 'All' },
});

export const unitAttributes = referredTo({
  noun: ['unit attribute', 'unit attributes'],
  entryKind: 'unit_attribute',
  words: 'unit-attributes',
  resource: (api) => api.unitAttributes,
  operations: { list: 'listUnitAttributes', create: 'createUnitAttribute', delete: 'deleteUnitAttribute' },
  shape: unitAttributeShape,
  calledBy: 'name',
  ofProperty: false,
  expansions: [],
  everything: {},
});

/** Refuses a service without these commands. @throws {CliError} exit 2. */
export function refuseElsewhere(
  { words, operations }: Pick<InventoryKind, 'words' | 'operations'>,
  session: Session,
): void {
  refuseBeyond(operations.list, `innctl ${words}`, session);
}

/** Every record of a kind, of one property if it is given. @throws {CliError} exit 3 if there is no such property. */
export function everyRecord(
  { resource, everything, noun }: InventoryKind,
  property: string | undefined,
  session: Session,
): Promise<readonly ServiceRecord[]> {
  const list = (filter: Readonly<Record<string, string>>): AsyncIterable<Page> =>
    resource(session.api).listAll({ ...filter, ...everything });
  const pages =
    property === undefined
      ? list({})
      : ofListedProperties(list({ property_id: property }), [property], session);
  return readAll(pages, noun[1], `look for ${noun[1]}`);
}

/**
 * The ids of records by what people call them: id, code or name. Ids win.
 *
 * @throws {CliError} exit 3 with a suggestion if there is none, exit 12 if there are several, for the first such word.
 */
export async function idsCalled(
  kind: InventoryKind,
  typed: readonly string[],
  property: string | undefined,
  session: Session,
): Promise<readonly string[]> {
  if (typed.length === 0) return [];
  const records = await everyRecord(kind, property, session);
  return typed.map((word) => idCalled(word, records, kind, property, session));
}

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

/**
 * The ids that the words of a command line mean: with --property also codes and names of that property.
 *
 * @throws {CliError} exit 2 with all that are no ids; what `idsCalled` throws.
 */
export async function idsMeant(
  kind: InventoryKind,
  typed: readonly string[],
  property: string | undefined,
  session: Session,
): Promise<readonly string[]> {
  const [field, words] = property === undefined ? ['id', typed] : ['--property', [property]];
  refuseInvalid(words.flatMap((word) => detailsFor(field, idProblem(word))));
  return property === undefined ? typed : [...new Set(await idsCalled(kind, typed, property, session))];
}
