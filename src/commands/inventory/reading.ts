import { serviceCommand } from '../../cli/described-command.ts';
import { refuseInvalid } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { choiceProblem } from '../../model/names.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import type { View } from '../../service/resource.ts';
import { entryProblems } from '../options.ts';
import { languageDetails, reportExistence, withActionsInWords } from '../properties/get.ts';
import { withReferences } from '../references.ts';
import { resolveAll } from '../several/resolve.ts';
import { suggest } from '../suggest.ts';
import { type InventoryKind, idsMeant, refuseElsewhere } from './kind.ts';

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
    return command.action(showing(context, kind));
  };
}

function showing(context: Context, kind: InventoryKind) {
  const { referred, shape, resource } = kind;
  return withReferences<ViewFlags>(context, referred, {
    named: 'reads',
    one: async (word, flags, session) => {
      const { api, out } = session;
      const view = viewFrom(flags, kind, session);
      const [id = word] = await idsMeant(kind, [word], flags.property, session);
      const record = await resource(api)
        .get(id, view)
        .catch(suggestId(id, kind, session));
      const forPeople = (each: ServiceRecord) => withActionsInWords(shape.forPeople?.(each) ?? each);
      await out.record({ ...shape, forPeople }, record);
    },
    several: async (words, flags, session) => {
      const view = viewFrom(flags, kind, session);
      const ids = await idsMeant(kind, words, flags.property, session);
      const found = await readEach(kind, ids, 'reads', (id) => resource(session.api).get(id, view), session);
      await session.out.records(shape, onePage(found));
    },
  });
}

/** The records with some ids, each once. @throws {CliError} exit 3 with all ids without a record. */
export function readEach(
  { referred }: InventoryKind,
  ids: readonly string[],
  effect: 'reads' | 'writes',
  read: (id: string) => Promise<ServiceRecord>,
  session: Session,
): Promise<readonly ServiceRecord[]> {
  const find = async (id: string) => ({ id, ...(await read(id)) });
  return resolveAll(ids, referred, { find, idOf: ({ id }) => String(id), named: effect }, session);
}

/** For `catch`: suggests a similar id from the list. */
export function suggestId(id: string, { referred }: InventoryKind, { api }: Session) {
  return suggest({ ...referred.misspelt([id], api), inPath: true });
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
          await idsMeant(kind, [id], undefined, session);
          await reportExistence(one, id, await kind.resource(session.api).exists(id), session);
        }),
      );
}
