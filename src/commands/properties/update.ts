import { type Answerable, review, withAnswers } from '../../change/ask.ts';
import type { Row } from '../../change/consent.ts';
import { changesShown, type Item, itemFor } from '../../change/item.ts';
import { serviceLine, settleBy, settlingOf, withEquivalentLine } from '../../change/lines.ts';
import { givesNoChange, patchWords, readsStdin, withPatchFlags } from '../../change/patch.ts';
import { withReferences } from '../../change/references.ts';
import { refuseUnrepeatable } from '../../change/resolve.ts';
import { changeOne, changeRows } from '../../change/rows.ts';
import { tellOne } from '../../change/tell.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { CliError, refuseInvalid } from '../../cli/errors.ts';
import type { GlobalOptions } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { fieldPath, snakeCaseName } from '../../model/fields.ts';
import { changesNothing, type PatchStep, segmentsOf } from '../../model/patch.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { aboutRecord } from '../../print/text.ts';
import type { Api } from '../../service/service.ts';
import { type ChangeFlags, givenSteps } from './changes.ts';
import { withFieldFlags } from './given.ts';
import {
  idsDetails,
  type NamedProperty,
  properties,
  propertiesArgument,
  resolveProperties,
  suggestProperty,
} from './reference.ts';

/**
 * `properties update <id>`: change fields of a property.
 *
 * PATCH /inventory/v1/properties/{id}. The contract shows replace at /name/<language_code> and /defaultCheckInTime;
 * whether other fields can be changed is open. Without changes on the command line, a terminal prompts for them.
 */
export function updateProperty(context: Context) {
  const command = serviceCommand('update', 'writes', [
    'properties update BER --name de="Grandhotel am Markt"',
    'properties update BER --default-check-in-time 15:00:00 --default-check-out-time 11:00:00',
    `properties update BER --patch '[{"op":"remove","path":"/description/fr"}]'`,
    'properties update BER MUC --default-check-in-time 15:00:00',
    'properties update BER --patch changes.yaml --dry-run',
  ])
    .summary('update a property')
    .description(
      'Update a property, with a flag per field or with JSON Pointers. Without flags, prompts for the changes on a terminal.',
    )
    .argument(...propertiesArgument)
    .option('--is-template [true|false]', 'mark as a template for other properties (dialect apaleo)')
    .option('--no-validate', 'let the service validate values');
  return withPatchFlags(withFieldFlags(command, 'Fields (innctl help properties create)')).action(
    withReferences<ChangeFlags>(context, properties, {
      operation: 'updateProperty',
      all: updateProperties,
      choosesSeveral: (flags) => !givesNoChange(flags),
    }),
  );
}

/** Updates properties alike, several with a result for each. */
async function updateProperties(
  ids: readonly string[],
  flags: ChangeFlags,
  session: Session,
  command: Answerable<ChangeFlags>,
): Promise<void> {
  const { api, globals } = session;
  const problems = await idsDetails(ids, api, session);
  const isOne = ids.length === 1;
  if (isOne && flags.validate && session.mayAsk() && givesNoChange(flags)) {
    refuseInvalid(problems);
    return updateAsked(ids, session, command);
  }
  const { stepsFor, needsRecord } = await givenSteps(problems, flags, session);
  const steps = stepsFor(undefined);
  if (!isOne) refuseUnrepeatable(steps, 'property');
  const mayTell = steps.every(({ op }) => op === 'add' || op === 'replace');
  const isRead = needsRecord || (flags.verify && mayTell && globals.dryRun !== true);
  const mayFail = needsRecord ? undefined : isUnreadable;
  const found = await resolveProperties(ids, { ...reading(api), isRead, mayFail }, session);
  const rows = found.map((property) => rowOf(property, stepsFor));
  if (!isOne) return changeRows(rows, {}, session);
  for (const row of rows) await updateOne(row, flags, session);
}

function reading(api: Api) {
  const read = async (id: string) => ({ property: await api.properties.read(id, ['all']) });
  return { read, isWrite: true } as const;
}

/** A service may accept changes of records that it does not show. */
function isUnreadable({ code, status = 0 }: CliError): boolean {
  return code === 'malformed_answer' || [400, 403, 422].includes(status);
}

/** Prompts for the changes of one property. */
async function updateAsked(
  ids: readonly string[],
  session: Session,
  command: Answerable<ChangeFlags>,
): Promise<void> {
  const { askPropertyChanges } = await import('./ask.ts');
  for (const property of await resolveProperties(ids, reading(session.api), session)) {
    const answers = await askPropertyChanges(property.record ?? {}, session);
    const { options, typed } = withAnswers(answers, command, session);
    if (answers.length === 0) return tellOne({}, toldOf(property.word), session.out);
    const { stepsFor } = await givenSteps([], options, session);
    const row = rowOf(property, stepsFor);
    const isSent = row.item.action === 'change';
    const sending = async () => {
      if (isSent) await review(answers, 'inventory', session);
      await updateOne({ ...row, question: 'Send it?' }, options, typed);
    };
    await withEquivalentLine(isSent, typed, sending());
  }
}

function rowOf(
  { word: id, record }: NamedProperty,
  stepsFor: (record?: ServiceRecord) => readonly PatchStep[],
): Row {
  const steps = stepsFor(record);
  const isSame = record !== undefined && changesNothing(record, steps);
  const about = { id, steps, changes: changesShown(record ?? {}, steps) };
  return { item: itemFor({ kind: 'property', name: id }, isSame ? 'same' : 'change', about), names: [] };
}

function toldOf(id: string) {
  const done = `Updated property ${id}`;
  return { done, undone: 'Nothing was changed.', facts: { id }, fact: 'updated' } as const;
}

/** Updates one property, and tells how that ended. */
async function updateOne({ item, ...row }: Row, flags: ChangeFlags, session: Session): Promise<void> {
  const { api, globals, out } = session;
  const { name: id, steps } = item;
  const one = { ...row, item: { ...item, isReadBack: flags.verify } };
  const result = await changeOne(one, {}, session)
    .catch(suggestProperty(api, id))
    .catch(withLanguageHint(item, globals))
    .catch(settleBy(settlingOf(steps, readsStdin(flags), session, 'properties get', id)));
  await tellOne(result, toldOf(id), out);
}

/** Texts that every property has. Flags of other texts use `add`, which accepts any language. */
const neededTexts: readonly string[] = ['name', 'payment_terms'];

/** For `catch`: adds how to add a missing language. Rethrows every error. */
function withLanguageHint({ name: id, steps }: Item, globals: GlobalOptions) {
  return (error: unknown): never => {
    if (!(error instanceof CliError) || error.status !== 422) throw error;
    const refused = error.details.map(({ field }) =>
      fieldPath(`/${field.replace(/^\//, '').replaceAll('.', '/')}`),
    );
    const texts = steps.filter((step) => {
      const [field = '', language, ...deeper] = segmentsOf(step.path);
      const isText = neededTexts.includes(snakeCaseName(field)) && language !== undefined;
      const isRefused = refused.length === 0 || refused.includes(fieldPath(step.path));
      return step.op === 'replace' && isText && deeper.length === 0 && isRefused;
    });
    if (texts.length === 0) throw error;
    const added = texts.flatMap((step) => (step.op === 'replace' ? [{ ...step, op: 'add' as const }] : []));
    const line = serviceLine(globals, ...aboutRecord('properties update', id, ...patchWords(...added)));
    const rest = texts.length === steps.length ? '' : ' first';
    const text = texts.every(({ path }) => path.startsWith('/name/')) ? 'the name' : 'a text';
    throw error.withHint(`A language that ${text} does not have yet is added${rest}: ${line}`);
  };
}
