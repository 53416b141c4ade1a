import type { Session } from '../../cli/session.ts';
import { snakeCaseName } from '../../model/fields.ts';
import { pointerTo, segmentsOf } from '../../model/patch.ts';
import {
  isFixedAt,
  languageMaps,
  type PropertyField,
  serviceFields,
  timeFields,
} from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import {
  type Change,
  changesBetween,
  type Problem,
  placeOf,
  type Subject,
  unknownNames,
} from '../edit/changes.ts';
import type { FieldPath } from '../edit/text.ts';
import { serviceLine } from '../lines.ts';
import { reportWrite } from '../write.ts';
import { suggestingProperty } from './by-id.ts';
import { holdsTexts, isFixed, writtenProblems } from './changes.ts';

interface EditOptions {
  readonly validate: boolean;
  readonly verify: boolean;
}

const timesAdvice = [
  'A service may keep the times of day without ever showing them: add a line to change one.',
  ...['default_check_in_time: 15:00:00', 'default_check_out_time: 11:00:00'].map((each) => `  ${each}`),
];

type Fields = readonly PropertyField[];

/** What can be written besides the contract's fields. */
const further = ['description', 'managing_directors', 'bank_account', 'payment_terms'];

/** A property that is edited. */
export function propertySubject(id: string, { validate, verify }: EditOptions, session: Session): Subject {
  const { api, out, globals, settings } = session;
  const { propertyFields: fields, fixedFields } = api.dialect;
  const given = serviceFields.filter((name) => !(api.dialect.goesBeyond && name === 'is_template'));
  const fixed = [...fixedFields, ...given];
  const line = (...words: readonly string[]) => serviceLine(globals, 'properties', 'update', ...words);
  const trust = validate ? [] : ['--no-validate'];
  return {
    kind: 'property',
    id,
    name: `property ${id}`,
    place: placeOf(settings(), settings().baseUrl?.value),
    advice: [
      ...fixedFields.filter((name) => name.includes('.')).map((name) => `${name} ${isFixed}.`),
      ...(timeFields.some((time) => fixedFields.includes(time)) ? [] : timesAdvice),
    ],
    destination: () => session.destination('inventory'),
    resumedBy: (path) => serviceLine(globals, 'properties', 'edit', id, ...trust, '--file', path),
    unchanged: { id, updated: false },
    fixedIn: () => fixed,
    whyFixed: () => isFixed,
    isText: (field, seen) => isText(field, seen, fields),
    read: () => api.properties.read(id, ['all']).catch(suggestingProperty(api, id)),
    changesBetween: (before, after) =>
      changesBetween(before, after).map((change) => asWritten(change, before, fields)),
    mindsTypes: validate,
    async problemsOf(changes, after) {
      if (!validate) return [];
      const unknown = unknownNames(changes, knownNames(fields), line(id, '--add'));
      const kept = changes.filter(({ field }) => isFixedAt(field, fixed));
      return [
        ...kept.map(({ field }) => ({ field, reason: isFixed })),
        ...missingFields(changes, after, fields),
        ...unknown,
        ...(await valueProblems(changes, fields)),
      ];
    },
    consent: () => session.confirm(`Send this change to property ${id}?`),
    async send(changes) {
      const steps = changes.map(({ step }) => step);
      const done = await api.properties.update(id, steps, { verify }).catch(suggestingProperty(api, id));
      return () => reportWrite(out, `Updated property ${id}`, { id, updated: true }, done);
    },
  };
}

/** The names that may be added, by the object they stand in. */
function knownNames(fields: Fields): ReadonlyMap<string, readonly string[]> {
  const inside = (outer: string) => fields.flatMap(({ path }) => (path[0] === outer ? (path[1] ?? []) : []));
  const account = inside('bank_account');
  return new Map([
    ['', [...new Set([...fields.map(({ path }) => path[0]), ...further])]],
    ['location', [...new Set([...inside('location'), 'address_line2', 'region_code'])]],
    ...(account.length === 0 ? [] : [['bank_account', account] as const]),
  ]);
}

/** What is known is a text, though a service shows a number; the rest is of the type that is shown. */
function isText(field: FieldPath, seen: unknown, fields: Fields): boolean {
  const [first = ''] = field;
  const isNamed = fields.some(({ path }) => path.join('.') === field.join('.'));
  if (isNamed || languageMaps.has(first)) return true;
  return seen === undefined || seen === null
    ? holdsTexts(pointerTo(...field), fields)
    : typeof seen === 'string';
}

/**
 * As the service takes it: times of day, which it may never show, are replaced all the same, and what takes the place of
 * nothing is added where a property may lack it.
 */
function asWritten(change: Change, before: ServiceRecord, fields: Fields): Change {
  const { field, step } = change;
  const isTime = timeFields.includes(field.join('.'));
  if (step.op === 'add' && isTime) return { field, step: { ...step, op: 'replace' } };
  const isLackable = fields.some(({ path, isOptional }) => path[0] === field[0] && isOptional === true);
  const isFirst = field.length === 1 && isLackable && before[field[0] ?? ''] === null;
  return step.op === 'replace' && isFirst ? { field, step: { ...step, op: 'add' } } : change;
}

/** A text that was half saved must not empty a property: what it is created with stays there. */
function missingFields(changes: readonly Change[], after: ServiceRecord, fields: Fields): readonly Problem[] {
  const needed = fields.filter(({ isOptional }) => isOptional !== true);
  const needs = new Set(needed.flatMap(({ path }) => [path[0], path.join('.')]));
  const removed = changes.filter(({ step }) => step.op === 'remove').map(({ field }) => field);
  const emptied = needed
    .filter(({ path: [name], kind }) => kind === 'languages' && isEmptied(after[name]))
    .filter(({ path: [name] }) => removed.some(([first]) => first === name))
    .map(({ path }) => path);
  const gone = removed.filter((field) => needs.has(field.join('.')));
  return [...emptied, ...gone].map((field) => ({
    field,
    reason: 'must not be missing: every property needs it',
  }));
}

function isEmptied(texts: unknown): boolean {
  return isRecord(texts) && Object.keys(texts).length === 0;
}

/** As `properties update` checks them. */
async function valueProblems(changes: readonly Change[], fields: Fields): Promise<readonly Problem[]> {
  const problems = await Promise.all(
    changes.map(async ({ step }) =>
      (await writtenProblems([step], fields)).map(({ field, reason }) => ({ field: fieldIn(field), reason })),
    ),
  );
  return problems.flat();
}

/** The field that a detail about a step names: `/location/postalCode`, or `/description fr` in a whole map. */
function fieldIn(named: string): FieldPath {
  return segmentsOf(named.replace(' ', '/')).map(snakeCaseName);
}
