import { lookingLine } from '../../change/lines.ts';
import { withReferences } from '../../change/references.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { Concluded, type Detail, refuseInvalid } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { collectList } from '../../cli/flags.ts';
import type { Check, Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import { capitalised } from '../../model/text.ts';
import type { Output } from '../../print/output.ts';
import { aboutRecord } from '../../print/text.ts';
import type { View } from '../../service/inventory.ts';
import { type Action, actionsIn } from '../../service/property-names.ts';
import type { Api } from '../../service/service.ts';
import { lettersOf } from '../list.ts';
import { entryProblems, refuseBeyond } from '../options.ts';
import { propertyShape } from '../shapes.ts';
import { EXPANSION, expansionProblem } from './list.ts';
import { idsDetails, properties, propertiesArgument, resolveProperties } from './reference.ts';

/** All languages; must be the only value. */
const ALL = 'all';

/**
 * `properties get <id>`: one property.
 *
 * GET /inventory/v1/properties/{id}. The contract does not define the default languages, and shows one value of expand:
 * unitGroups. Other values are sent unchanged, unless the dialect lists all values.
 */
export function getProperty(context: Context) {
  return serviceCommand('get show', 'reads', [
    'properties get BER',
    'properties get BER --languages en,de',
    'properties get BER --languages all --expand unitGroups --json',
  ])
    .summary('show a property')
    .description('Show a property, optionally with its texts in other languages and related data.')
    .argument(...propertiesArgument)
    .option('--languages <codes>', 'languages of texts: en,de, or all (repeatable)', collectList)
    .option(
      '--expand <names>',
      'include related data: unitGroups, or actions in the dialect apaleo (repeatable)',
      collectList,
    )
    .action(withReferences(context, properties, { all: showProperties }));
}

async function showProperties(ids: readonly string[], flags: View, session: Session): Promise<void> {
  const { api, out } = session;
  const view = viewFrom(await idsDetails(ids, api, session), flags, api);
  const read = async (id: string) => ({ property: await api.properties.get(id, view) });
  const records = (await resolveProperties(ids, { read }, session)).flatMap(({ record }) =>
    record ? [record] : [],
  );
  const [one, ...others] = records;
  if (one === undefined || others.length > 0) return out.records(propertyShape, onePage(records));
  await out.record({ ...propertyShape, forPeople: withActionsInWords }, one);
  await warnOfNothing(view, one, api.dialect, out);
}

/** Parses the flags. @param problems of the ids. @throws {CliError} exit 2 with all problems. */
function viewFrom(problems: readonly Detail[], { languages, expand }: View, api: Api): View {
  const { languageProblem, expansions } = api.dialect;
  refuseInvalid([
    ...problems,
    ...languageDetails(languages ?? [], languageProblem),
    ...entryProblems('--expand', expand ?? [], (name) => expansionProblem(name, expansions)),
  ]);
  return { languages: languages && [...new Set(languages)], expand: expand && [...new Set(expand)] };
}

/** The problems of --languages. */
export function languageDetails(languages: readonly string[], problem: Check): readonly Detail[] {
  const field = '--languages';
  const codes = languages.filter((code) => code !== ALL);
  const details = entryProblems(field, codes, problem);
  const isMixed = codes.length > 0 && codes.length < languages.length;
  return isMixed ? [...details, { field, reason: 'all cannot be combined with codes' }] : details;
}

/** Services may ignore unknown names, so that a misspelt one looks like missing data. */
async function warnOfNothing(
  { expand = [] }: View,
  property: ServiceRecord,
  { expansions = [EXPANSION] }: Api['dialect'],
  out: Output,
): Promise<void> {
  const shown = new Set(
    Object.entries(property).flatMap(([name, value]) => (value === null ? [] : [lettersOf(name)])),
  );
  for (const name of expand.filter((each) => !shown.has(lettersOf(each)))) {
    const known = expansions.includes(name) ? '' : `; the contract names ${EXPANSION}`;
    await out.warn(`The answer has no ${name}${known}.`);
  }
}

/** Adds a line per action for people; unchanged if the actions have another form. */
export function withActionsInWords(property: ServiceRecord): ServiceRecord {
  const actions = actionsIn(property);
  const names = new Set(actions.map(({ name }) => name));
  const isReadable = Array.isArray(property['actions']) && names.size === property['actions'].length;
  if (!isReadable || names.size === 0) return property;
  const { actions: _, ...others } = property;
  const named = actions.map((each) => [
    `${each.name.charAt(0).toLowerCase()}${each.name.slice(1)}`,
    inWords(each),
  ]);
  return { ...others, may: Object.fromEntries(named) };
}

function inWords({ isAllowed, reasons }: Action): string {
  if (isAllowed) return 'yes';
  return reasons.length === 0 ? 'no' : `no: ${reasons.map(({ reason }) => reason).join(' ')}`;
}

/**
 * `properties exists <id>`: check if a property exists; exit 3 if not.
 *
 * HEAD /inventory/v1/properties/{id}, which is not in the contract.
 */
export function propertyExists(context: Context) {
  return serviceCommand('exists', 'reads', ['properties exists BER', 'properties exists BER --json'])
    .summary('check if a property exists')
    .description('Check if a property exists. Exits with 3 if it does not.')
    .argument('<id>', 'id of the property')
    .action(
      withSession(context, async (session, id) => {
        const { api, out, globals } = session;
        const hint = lookingLine(globals, ...aboutRecord('properties get', id));
        refuseBeyond('propertyExists', 'properties exists', session, hint);
        refuseInvalid(await idsDetails([id], api));
        await reportExistence('property', id, await api.properties.exists(id), { out, globals });
      }),
    );
}

/** Says whether a record exists. @throws {Concluded} exit 3 if not. */
export async function reportExistence(
  noun: string,
  id: string,
  exists: boolean,
  { out, globals }: Pick<Session, 'out' | 'globals'>,
): Promise<void> {
  const isQuiet = globals.quiet === true;
  if (exists) return out.line(isQuiet ? id : `${capitalised(noun)} ${id} exists.`, { id, exists });
  if (!isQuiet) await out.line(`There is no ${noun} ${id}.`, { id, exists });
  throw new Concluded(ExitCode.notFound);
}

/** `properties count`: how many properties the account has. GET /inventory/v1/properties/$count. */
export function countProperties(context: Context) {
  return serviceCommand('count', 'reads', ['properties count', 'properties count --json'])
    .summary('count properties')
    .description('Print the number of properties in the account.')
    .action(
      withSession(context, async ({ api, out }) => {
        const count = await api.properties.count();
        await out.line(String(count), { count });
      }),
    );
}
