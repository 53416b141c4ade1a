import { Option } from '@commander-js/extra-typings';
import { withReferences } from '../../change/resolve.ts';
import { misspeltProperties, ofListedProperties, suggest } from '../../change/suggest.ts';
import { detailsFor, refuseInvalid } from '../../model/errors.ts';
import { type InventoryKind as EntryKind, kindTable } from '../../model/kinds.ts';
import type { Context } from '../../model/ports.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import { choiceProblem, idProblem } from '../../model/text.ts';
import type { Query } from '../../service/dialect.ts';
import type { View } from '../../service/inventory.ts';
import { collectList, type DescribedCommand, serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { type ListFlags, listFrom, printList, withFilters, withListFlags } from '../list.ts';
import { reportExistence, viewFrom, withActionsInWords } from '../properties/get.ts';
import { type InventoryKind, idsCalled, inventoryKinds, refuseElsewhere, resolveInventory } from './kind.ts';

/**
 * `list`: GET /inventory/v1/..., page by page. A service shows only active units unless asked. The groups and attributes that
 * filter units are found by name.
 */
export function listing(entryKind: EntryKind, examples: readonly string[]) {
  const kind = inventoryKinds[entryKind];
  const { noun, ofProperty, expansions } = kind;
  return (context: Context) => {
    const command = serviceCommand('list ls', 'reads', examples)
      .exitsWith(entryKind === 'unit' && 'ambiguous')
      .summary(`list ${noun[1]}`)
      .description(`List the ${noun[1]} of the account${ofProperty ? ', or of a property' : ''}.`);
    addFilters(command, kind);
    if (expansions.length > 0)
      command.option('--expand <names>', `include related data: ${expansions.join(', ')}`, collectList);
    return withListFlags(command).action(
      withSession(context, (session, options) => printInventory(kind, options, session)),
    );
  };
}

/** `count`: GET /inventory/v1/.../$count. */
export function counting(entryKind: EntryKind, examples: readonly string[]) {
  const kind = inventoryKinds[entryKind];
  const [, several] = kind.noun;
  return (context: Context) => {
    const command = serviceCommand('count', 'reads', examples)
      .exitsWith(entryKind === 'unit' && 'ambiguous')
      .summary(`count ${several}`)
      .description(`Print the number of ${several} of the account, or of a property.`);
    addFilters(command, kind);
    return command.action(withSession(context, (session, options) => printCount(kind, options, session)));
  };
}

function addFilters(command: DescribedCommand, { entryKind }: InventoryKind): void {
  for (const { flag, value, text, choices } of kindTable[entryKind].filters) {
    const [isSeveral, isTruth] = [value === 'names', value === 'true|false'];
    const values = choices === undefined ? '' : `: ${choices.join(', ')}`;
    const more = isSeveral ? ' (repeatable)' : flag === 'status' ? ' (default: Active)' : '';
    const form = isTruth ? `[${value}]` : `<${value}>`;
    const option = new Option(`--${flag} ${form}`, `filter by ${text}${values}${more}`);
    command.addOption(isSeveral ? option.argParser(collectList) : option);
  }
}

/** Prints the list of a kind, filtered. */
async function printInventory(kind: InventoryKind, flags: ListFlags, session: Session): Promise<void> {
  refuseElsewhere(kind, session);
  const { filter: others, extent } = await listFrom(flags, kind.operations.list, session);
  const { filter, property } = await filterFrom(kind, flags, others, session);
  const listed = kind.resource(session.api).list(filter, extent);
  const pages = ofListedProperties(listed, property, session);
  const printing = printList({ kind: kind.words, shape: kind.shape, filter, extent, pages }, session);
  await printing.catch(suggest(misspeltProperties(property === undefined ? [] : [property], session.api)));
}

/** Prints the number of records of a kind, filtered. */
async function printCount(kind: InventoryKind, flags: object, session: Session): Promise<void> {
  refuseElsewhere(kind, session);
  const { api, out } = session;
  const { filter, property } = await filterFrom(kind, flags, {}, session);
  const words = property === undefined ? [] : [property];
  const count =
    (await kind
      .resource(api)
      .count(filter)
      .catch(suggest(misspeltProperties(words, api)))) ?? 0;
  // No units of a property that does not exist are no answer.
  if (count === 0) for await (const _ of ofListedProperties(onePage([]), property, session)) break;
  await out.line(String(count), { count });
}

/**
 * The query of filter flags and --param.
 *
 * @returns `property` is the one that the list is limited to.
 * @throws {CliError} exit 2 with all invalid values; exit 3 and 12 for groups and attributes that are not one record.
 */
async function filterFrom(kind: InventoryKind, flags: object, others: Query, session: Session) {
  const { filters } = kindTable[kind.entryKind];
  const expand = { parameter: 'expand', flag: 'expand', value: 'names', choices: kind.expansions } as const;
  const { filter } = withFilters(kind.operations.list, [...filters, expand], flags, others, session);
  const [property] = wordsOf(filter['property_id']);
  const ids: Record<string, readonly string[]> = {};
  for (const { parameter, of } of filters) {
    if (of === undefined) continue;
    const other = inventoryKinds[of];
    const found = await idsCalled(
      other,
      wordsOf(filter[parameter]),
      other.ofProperty ? property : undefined,
      session,
    );
    if (found.size > 0) ids[parameter] = [...new Set(found.values())];
  }
  return { property, filter: { ...filter, ...ids } };
}

function wordsOf(value: Query[string]): readonly string[] {
  return value === undefined ? [] : [value].flat().map(String);
}

/** The argument of commands that take several records of a kind. */
export function argumentFor({ noun: [one], calledBy, ofProperty }: InventoryKind) {
  const further = ofProperty ? `; with --property also its ${calledBy}` : '';
  return ['[id...]', `id of the ${one}${further}`] as const;
}

/** The flag that finds records by code or name. */
export function propertyFlag(kind: InventoryKind) {
  return ['--property <id>', `find the ${shortName(kind)} by its ${kind.calledBy} at this property`] as const;
}

/** `group`: what a text calls a record that it has named. */
export function shortName({ noun: [one] }: InventoryKind): string {
  return one.replace(/^unit (?=.)/, '');
}

interface ViewFlags extends View {
  readonly property?: string;
}

/** `get`: GET /inventory/v1/.../{id}. */
export function getting(entryKind: EntryKind, examples: readonly string[]) {
  const kind = inventoryKinds[entryKind];
  const { noun, ofProperty, expansions } = kind;
  const more = ', optionally with its texts in other languages and related data';
  return (context: Context) => {
    const command = serviceCommand('get show', 'reads', examples)
      .exitsWith(ofProperty && 'ambiguous')
      .summary(`show a ${noun[0]}`)
      .description(`Show a ${noun[0]}${ofProperty ? more : ''}.`)
      .argument(...argumentFor(kind));
    if (ofProperty)
      command
        .option(...propertyFlag(kind))
        .option('--languages <codes>', 'languages of texts: en,de, or all (repeatable)', collectList)
        .option('--expand <names>', `include related data: ${expansions.join(', ')}`, collectList);
    const all = (words: readonly string[], flags: ViewFlags, session: Session) =>
      showInventory(words, flags, kind, session);
    return command.action(withReferences(context, kind.referred, { all }));
  };
}

async function showInventory(
  words: readonly string[],
  flags: ViewFlags,
  kind: InventoryKind,
  session: Session,
): Promise<void> {
  const { api, out } = session;
  const { shape, resource } = kind;
  const expansion = (name: string) => choiceProblem(name, kind.expansions);
  const view = viewFrom(flags, [], expansion, session);
  const read = (id: string) => resource(api).get(id, view);
  const found = await resolveInventory(words, kind, { property: flags.property, read }, session);
  const records = found.map(({ record }) => record);
  const [one, ...others] = records;
  if (one === undefined || others.length > 0) return out.records(shape, onePage(records));
  const forPeople = (each: ServiceRecord) => withActionsInWords(shape.forPeople?.(each) ?? each);
  await out.record({ ...shape, forPeople }, one);
}

/** `exists`: HEAD /inventory/v1/.../{id}. */
export function existing(entryKind: EntryKind, examples: readonly string[]) {
  const kind = inventoryKinds[entryKind];
  const [one] = kind.noun;
  return (context: Context) =>
    serviceCommand('exists', 'reads', examples)
      .summary(`check if a ${one} exists`)
      .description(`Check if a ${one} exists. Exits with 3 if it does not.`)
      .argument('<id>', `id of the ${one}`)
      .action(
        withSession(context, async (session, id: string) => {
          refuseElsewhere(kind, session);
          refuseInvalid(detailsFor('id', idProblem(id)));
          await reportExistence(one, id, await kind.resource(session.api).exists(id), session);
        }),
      );
}
