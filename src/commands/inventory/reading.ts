import { withReferences } from '../../change/references.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { detailsFor, refuseInvalid } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { choiceProblem } from '../../model/names.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import type { View } from '../../service/inventory.ts';
import { idProblem } from '../../service/path.ts';
import { entryProblems } from '../options.ts';
import { languageDetails, reportExistence, withActionsInWords } from '../properties/get.ts';
import { type InventoryKind, refuseElsewhere, resolveInventory } from './kind.ts';

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
export function getting(kind: InventoryKind, examples: readonly string[]) {
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
  const view = viewFrom(flags, kind, session);
  const read = (id: string) => resource(api).get(id, view);
  const found = await resolveInventory(words, kind, { property: flags.property, read }, session);
  const records = found.map(({ record }) => record);
  const [one, ...others] = records;
  if (one === undefined || others.length > 0) return out.records(shape, onePage(records));
  const forPeople = (each: ServiceRecord) => withActionsInWords(shape.forPeople?.(each) ?? each);
  await out.record({ ...shape, forPeople }, one);
}

/** @throws {CliError} exit 2 with all problems. */
function viewFrom({ languages, expand }: View, { expansions }: InventoryKind, { api }: Session): View {
  refuseInvalid([
    ...languageDetails(languages ?? [], api.dialect.languageProblem),
    ...entryProblems('--expand', expand ?? [], (name) => choiceProblem(name, expansions)),
  ]);
  return { languages: languages && [...new Set(languages)], expand: expand && [...new Set(expand)] };
}

/** `exists`: HEAD /inventory/v1/.../{id}. */
export function existing(kind: InventoryKind, examples: readonly string[]) {
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
