import { type Answerable, review, withAnswers } from '../../change/ask.ts';
import type { Row } from '../../change/consent.ts';
import { changesShown, itemFor } from '../../change/item.ts';
import {
  type ServiceChoice,
  serviceLine,
  settleBy,
  settlingOf,
  tellOne,
  withEquivalentLine,
} from '../../change/lines.ts';
import {
  givesNoChange,
  type PatchFlags,
  patchWords,
  readsStdin,
  stepsFrom,
  withPatchFlags,
} from '../../change/patch.ts';
import { refuseUnrepeatable, withReferences } from '../../change/resolve.ts';
import { changeOne, changeRows } from '../../change/rows.ts';
import { currencyWarning } from '../../model/codes.ts';
import { CliError, type Detail, detailsFor, refuseInvalid, usageError } from '../../model/errors.ts';
import { isFixedAt, languageTextProblem, valueProblems } from '../../model/field-values.ts';
import { snakeCaseName } from '../../model/fields.ts';
import { type Field, kindTable, languageMaps } from '../../model/kinds.ts';
import {
  changesNothing,
  namesIn,
  type PatchStep,
  pathsChangedBy,
  pointerTo,
  segmentsOf,
} from '../../model/patch.ts';
import type { Context } from '../../model/ports.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { aboutRecord } from '../../print/text.ts';
import type { Api } from '../../service/service.ts';
import { serviceCommand } from '../../session/command-line.ts';
import type { Session } from '../../session/session.ts';
import { type GivenField, pointerOf, typedFields, withFieldFlags } from '../fields.ts';
import { suggestReference, type TruthFlag, truthOf, truthProblem, unsupportedDetails } from '../options.ts';
import {
  idsDetails,
  type NamedProperty,
  properties,
  propertiesArgument,
  resolveProperties,
} from './reference.ts';

/**
 * `properties update <id>`: change fields of a property.
 *
 * PATCH /inventory/v1/properties/{id}. The contract shows replace at /name/<language_code> and at a time of day;
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
  return withPatchFlags(
    withFieldFlags(command, kindTable.property.fields, 'Fields (innctl help properties create)'),
  ).action(
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
async function updateAsked(ids: readonly string[], session: Session, command: Answerable<ChangeFlags>) {
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
  const about = { id, record, steps, changes: changesShown(record ?? {}, steps) };
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
    .catch(suggestReference(properties, id, api))
    .catch(hintAdding(id, steps, globals))
    .catch(settleBy(settlingOf(steps, readsStdin(flags), session, 'properties get', id)));
  await tellOne(result, toldOf(id), out);
}

/** For `catch`: a refused text may be in a language that is not there yet. Rethrows every error. */
function hintAdding(id: string, steps: readonly PatchStep[], globals: ServiceChoice) {
  const added = steps.flatMap((step) => {
    const [field = '', language, ...deeper] = namesIn(step.path);
    const isText = languageMaps.has(field) && language !== undefined && deeper.length === 0;
    return isText && step.op === 'replace' ? [{ ...step, op: 'add' as const }] : [];
  });
  return (error: unknown): never => {
    if (!(error instanceof CliError) || error.status !== 422 || added.length === 0) throw error;
    const line = serviceLine(globals, ...aboutRecord('properties update', id, ...patchWords(...added)));
    throw error.withHint(`A language that is not there yet is added: ${line}`);
  };
}

type Fields = readonly Field[];

/** Objects that a property may lack. */
const lackable: ReadonlySet<string> = new Set(
  kindTable.property.fields.filter(needsObject).map(({ path }) => path[0]),
);

/** The flags for changes, besides those of fields, as typed. */
export interface ChangeFlags extends PatchFlags {
  readonly isTemplate?: TruthFlag;
  readonly validate: boolean;
  readonly verify: boolean;
}

/**
 * The checked steps of the command line, for any property.
 *
 * @param problems of the ids, reported together.
 * @returns `needsRecord`: they depend on the property.
 * @throws {CliError} exit 2 with all problems of the flags, or else of the values.
 */
async function givenSteps(problems: readonly Detail[], flags: ChangeFlags, { api, context, out }: Session) {
  const { propertyFields: fields, refusedInUpdate: fixed } = api.dialect;
  const { given, details } = typedFields(flags, kindTable.property.fields, fields);
  const isTemplate = truthOf(flags.isTemplate);
  const template = { op: 'replace', path: '/isTemplate', value: isTemplate } as const;
  const own = [...stepsOf(given), ...(isTemplate === undefined ? [] : [template])];
  const wrong = flags.validate ? flagProblems(given, fixed) : [];
  const ofTemplate = [
    ...unsupportedDetails(api.dialect, 'updateProperty', { '--is-template': flags.isTemplate }),
    ...detailsFor('--is-template', truthProblem(flags.isTemplate)),
  ];
  const paths = own.map(({ path }) => path);
  const earlier = [...problems, ...details, ...ofTemplate, ...wrong];
  const further = await stepsFrom(paths, flags, context.stdin, earlier, (path) => holdsTexts(path, fields));
  const steps = [...own, ...further];
  if (steps.length === 0) {
    throw usageError(
      'No changes given: use the flag of a field, or --patch.',
      'innctl properties update --help',
    );
  }
  if (flags.validate) {
    const free = further.filter((step) => fixedProblems([step], fixed).length === 0);
    refuseInvalid([...fixedProblems(further, fixed), ...writtenProblems(free, fields)]);
    const warning = warningFor(steps);
    if (warning !== undefined) await out.warn(warning);
  }
  return {
    needsRecord: given.some(({ field }) => needsObject(field)),
    stepsFor: (shown: ServiceRecord | undefined) =>
      shown === undefined ? steps : [...inObjects(own, shown), ...further],
  };
}

/** The problems of field flags. @param fixed fields that the service never changes. */
function flagProblems(given: readonly GivenField[], fixed: readonly string[]): readonly Detail[] {
  return given.flatMap(({ field, value }) => {
    const name = `--${field.flag}`;
    return isFixedAt(field.path, fixed)
      ? [{ field: name, reason: isFixed }]
      : valueProblems(field, value, name);
  });
}

/**
 * The steps of field flags: one per value, at the contract's camelCase paths. Optional objects use `add`, because
 * `replace` fails if nothing is there.
 */
function stepsOf(given: readonly GivenField[]): readonly PatchStep[] {
  return given.flatMap(({ field, value }) => {
    const op = field.isOptional === true ? 'add' : 'replace';
    if (typeof value === 'string') return [{ op, path: pointerOf(field), value } as const];
    return Object.entries(value).map(([language, text]) => {
      return { op, path: `${pointerOf(field)}${pointerTo(language)}`, value: text } as const;
    });
  });
}

/**
 * The problems of values at known paths, in either spelling; other paths are not checked.
 *
 * @param fields the fields of the dialect.
 */
function writtenProblems(steps: readonly PatchStep[], fields: Fields): readonly Detail[] {
  return steps.flatMap((step) => (isWrite(step) ? problemsAt(step.path, step.value, fields) : []));
}

/** Whether a path is in a field of texts, as all fields of the contract are. */
function holdsTexts(path: string, fields: Fields): boolean {
  const [first = ''] = namesIn(path);
  return languageMaps.has(first) || fields.some(({ path: [outer] }) => outer === first);
}

/** The warning about a new currency, or `undefined`. */
function warningFor(steps: readonly PatchStep[]): string | undefined {
  const written = steps.findLast((step) => isWrite(step) && namesIn(step.path)[0] === 'currency_code');
  return written !== undefined && isWrite(written) ? currencyWarning(written.value) : undefined;
}

/** The reason for fixed fields. */
const isFixed = 'is fixed once the property is created';

/** The fixed fields that steps change. */
function fixedProblems(steps: readonly PatchStep[], fixed: readonly string[]): readonly Detail[] {
  return steps
    .flatMap(pathsChangedBy)
    .filter((path) => isFixedAt(namesIn(path), fixed))
    .map((field) => ({ field, reason: isFixed }));
}

/** Whether a field is in an optional object. */
function needsObject({ path: [outer], type, isOptional }: Field): boolean {
  return isOptional === true && (type === 'languages' || outer === 'bank_account');
}

/**
 * Adapts the steps to the current property: fields of a missing object are sent as a whole object, because nothing can
 * be added inside it.
 */
function inObjects(steps: readonly PatchStep[], shown: ServiceRecord): readonly PatchStep[] {
  const wholes = new Map<string, Record<string, unknown>>();
  const others = steps.filter((step) => {
    const [outer = '', inner] = segmentsOf(step.path);
    const name = snakeCaseName(outer);
    if (step.op !== 'add' || inner === undefined || !lackable.has(name) || isRecord(shown[name])) return true;
    wholes.set(outer, { ...wholes.get(outer), [inner]: step.value });
    return false;
  });
  const added = [...wholes].map(([outer, value]) => ({ op: 'add', path: pointerTo(outer), value }) as const);
  return [...others, ...added];
}

function isWrite(step: PatchStep): step is Extract<PatchStep, { readonly value: unknown }> {
  return step.op === 'add' || step.op === 'replace';
}

/** The service decides which fields of a location are required. */
function problemsAt(path: string, value: unknown, fields: Fields): readonly Detail[] {
  const [first = '', second, ...deeper] = namesIn(path);
  if (deeper.length > 0) return [];
  const field = fields.find(({ path: [outer, inner] }) => outer === first && inner === second);
  if (field !== undefined) return valueProblems(field, value, path);
  const around = fields.find(({ path: [outer] }) => outer === first);
  if (around?.path.length === 2 && second === undefined) {
    if (!isRecord(value)) return [{ field: path, reason: 'must hold fields and values' }];
    const entries = Object.entries(value);
    return entries.flatMap(([name, inner]) => problemsAt(`${path}${pointerTo(name)}`, inner, fields));
  }
  const isText = around?.type === 'languages' && second !== undefined;
  return isText ? detailsFor(path, languageTextProblem(second, value)) : [];
}
