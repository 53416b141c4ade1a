import { serviceCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import type { GlobalOptions } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { fieldPath, snakeCaseName } from '../../model/fields.ts';
import { changesNothing, type PatchStep, segmentsOf } from '../../model/patch.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { aboutRecord } from '../../print/text.ts';
import { aboutWrite } from '../../seed/item.ts';
import { type Answerable, type Answered, review, withAnswers } from '../ask.ts';
import { serviceLine, settleBy, withEquivalentLine } from '../lines.ts';
import { givesNoChange, patchWords, settlingOf, withPatchFlags } from '../patch-flags.ts';
import { withReferences } from '../references.ts';
import { readBefore, reportWrite } from '../write.ts';
import { type ChangeFlags, changesFrom } from './changes.ts';
import { checkId, readProperty, suggestProperty } from './get.ts';
import { withFieldFlags } from './given.ts';
import { properties, propertiesArgument } from './reference.ts';

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
    withReferences(context, properties, {
      named: 'writes',
      one: updateOne,
      several: async (...given) => (await import('./several.ts')).updateProperties(...given),
      choosesSeveral: (flags) => !givesNoChange(flags),
    }),
  );
}

async function updateOne(
  id: string,
  flags: ChangeFlags,
  session: Session,
  command: Answerable<ChangeFlags>,
): Promise<void> {
  session.api.permit('updateProperty', id);
  const isAsking = flags.validate && session.mayAsk() && givesNoChange(flags);
  const asked = isAsking ? await askAbout(id, session) : undefined;
  const unchanged = () => session.out.done('Nothing was changed.', { id, updated: false });
  if (asked?.answers.length === 0) return unchanged();
  const { options, typed } = withAnswers(asked?.answers ?? [], command, session);
  const { steps, shown } = await changesFrom(id, options, session, asked?.property);
  const read = () => readProperty(id, session.api);
  const seen = shown ?? (await readBefore(steps, read, options, session.globals));
  if (seen !== undefined && changesNothing(seen, steps)) return unchanged();
  const sending = send({ id, seen, steps, options }, asked?.answers, typed);
  await withEquivalentLine(asked !== undefined, typed, sending);
}

/** The property, and the changes entered in prompts. */
async function askAbout(id: string, session: Session) {
  await checkId(id, session.api);
  const property = await readProperty(id, session.api);
  const { askPropertyChanges } = await import('./ask.ts');
  return { property, answers: await askPropertyChanges(property, session) };
}

/** Sends an update, and reports it. @param answers reviewed and confirmed before. */
async function send(update: Update, answers: readonly Answered[] | undefined, session: Session) {
  const { id, seen, steps, options } = update;
  const { api, out, globals } = session;
  if (answers !== undefined) {
    await review(answers, 'inventory', session);
    await session.confirm('Send it?');
  }
  const settling = settlingOf(steps, options, session, 'properties', id);
  const about = aboutWrite('property', id, seen, steps);
  const done = await api.kept
    .one(() => api.properties.update(id, steps, { verify: options.verify }), about)
    .catch(suggestProperty(api, id))
    .catch(withLanguageHint(update, globals))
    .catch(settleBy(settling));
  await reportWrite(out, `Updated property ${id}`, { id, updated: true }, done);
}

/** An update to send. */
interface Update {
  readonly id: string;
  /** As it was read before; `undefined` if it was not. */
  readonly seen: ServiceRecord | undefined;
  readonly steps: readonly PatchStep[];
  readonly options: ChangeFlags;
}

/** Texts that every property has. Flags of other texts use `add`, which accepts any language. */
const neededTexts: readonly string[] = ['name', 'payment_terms'];

/** For `catch`: adds how to add a missing language. Rethrows every error. */
function withLanguageHint({ id, steps }: Update, globals: GlobalOptions) {
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
