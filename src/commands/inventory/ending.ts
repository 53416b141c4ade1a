import { wholeViews } from '../../change/inventory-row.ts';
import { ignoreNotFoundFlag, serviceLine } from '../../change/lines.ts';
import { withReferences } from '../../change/resolve.ts';
import { CliError } from '../../model/errors.ts';
import type { InventoryKind as EntryKind } from '../../model/kinds.ts';
import type { Context } from '../../model/ports.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { capitalised } from '../../model/text.ts';
import { actionsIn } from '../../service/property-names.ts';
import { collect, serviceCommand } from '../../session/command-line.ts';
import type { Session } from '../../session/session.ts';
import { type EndingFlags, endRecords, type Found } from '../ending.ts';
import { type InventoryKind, inventoryKinds, nameOf, resolveInventory } from './kind.ts';
import { argumentFor, propertyFlag } from './reading.ts';

/** The flags of `delete` and `archive`, as typed. */
interface RemovalFlags extends EndingFlags {
  readonly property?: string;
}

/** What cannot be undone. */
type Verb = 'delete' | 'archive';

/** The command of a removal, after the id was repeated: DELETE /inventory/v1/..., or PUT .../archive. @param texts `description`: its first sentences. */
export function removing(
  entryKind: EntryKind,
  verb: Verb,
  { examples, description }: { readonly examples: readonly string[]; readonly description: string },
) {
  const kind = inventoryKinds[entryKind];
  const { ofProperty, noun, referred, operations } = kind;
  const [names, what, operation] =
    verb === 'delete'
      ? (['delete rm', 'deletion', operations.delete] as const)
      : (['archive', 'archiving', 'archiveUnit'] as const);
  return (context: Context) => {
    const command = serviceCommand(names, 'destroys', examples)
      .exitsWith(ofProperty && 'ambiguous', 'partlyDone')
      .summary(`${verb} a ${noun[0]}`)
      .description(`${description} Prompts for its id on a terminal; otherwise requires --confirm.`)
      .argument(...argumentFor(kind));
    if (ofProperty) command.option(...propertyFlag(kind));
    const flagged = command
      .option('--confirm <id>', `confirm the ${what}: repeat the id (--yes is not enough)`, collect)
      .option('--no-verify', 'do not verify by reading afterwards');
    if (verb === 'delete') flagged.option(...ignoreNotFoundFlag);
    return flagged.action(
      withReferences<RemovalFlags>(context, referred, {
        operation,
        all: (words, flags, session) => removeInventory(words, flags, kind, verb, session),
      }),
    );
  };
}

/** @throws {CliError} exit 3 or 12 with the words that are not one record; what `endRecords` throws. */
async function removeInventory(
  words: readonly string[],
  flags: RemovalFlags,
  kind: InventoryKind,
  verb: Verb,
  session: Session,
): Promise<void> {
  const read = async (id: string) => (await lookBefore(id, kind, flags, session)) ?? {};
  const finding = { property: flags.property, isWrite: true, read } as const;
  const named = await resolveInventory(words, kind, finding, session);
  const found = named.map((each) => ({ ...each, name: nameOf(kind, each) }));
  const isArchivable = ({ record = {} }: Found) =>
    actionsIn(record).some(({ name, isAllowed }) => name === 'Archive' && isAllowed);
  const insteadOf = (refused: readonly Found[]) => {
    const ids = refused.map(({ id, word }) => id ?? word);
    const isHelped = verb === 'delete' && refused.every(isArchivable);
    // Without consent: archiving cannot be undone.
    return isHelped ? serviceLine(session.globals, 'units', 'archive', ...ids) : undefined;
  };
  const ending = {
    ...{ kind: kind.entryKind, referred: kind.referred, verb, insteadOf },
    doing: [`${verb.slice(0, -1)}ing`, ''],
    severe: [`${verb}s`, ''],
    done: [`${capitalised(verb)}d`, ''],
    fact: `${verb}d`,
  } as const;
  await endRecords(found, words.length === 1, ending, flags, session);
}

/**
 * The record before it is removed: a unit with the actions that are possible now.
 *
 * @returns `undefined` if it cannot be read, so that the removal is tried; in a dry run it is not read.
 * @throws {CliError} exit 3 if there is none.
 */
async function lookBefore(
  id: string,
  { entryKind, resource }: InventoryKind,
  { ignoreNotFound }: RemovalFlags,
  { api, globals }: Session,
): Promise<ServiceRecord | undefined> {
  const isUnit = entryKind === 'unit';
  if (!isUnit && globals.dryRun === true) return undefined;
  return resource(api)
    .read(id, wholeViews[entryKind])
    .catch((error: unknown): undefined => {
      const isMissing = error instanceof CliError && error.code === 'not_found' && ignoreNotFound !== true;
      if (!(error instanceof CliError) || isMissing) throw error;
    });
}
