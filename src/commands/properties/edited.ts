import { snakeCaseName } from '../../api/fields.ts';
import { pointerTo, segmentsOf } from '../../api/patch.ts';
import { languageMaps } from '../../api/properties.ts';
import { fixedFields, propertyFields, serviceFields } from '../../checks/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';
import { sameCommand } from '../../render/shell.ts';
import type { Session } from '../../session.ts';
import { type Change, changesBetween } from '../edit/changes.ts';
import { unknownNames } from '../edit/problems.ts';
import { type Problem, placeOf, type Subject } from '../edit/subject.ts';
import type { FieldPath } from '../edit/text.ts';
import { reportWrite } from '../read-back.ts';
import { inDoubt, serviceLine } from '../settle.ts';
import { lookAt, suggestingProperty } from './by-id.ts';
import { holdsTexts, writtenProblems } from './changes.ts';

interface EditOptions {
  readonly validate: boolean;
  readonly verify: boolean;
}

/** What the service makes, and what is written once, when a property is created. */
const fixed = [...fixedFields, ...serviceFields];

/** They can be changed, and the public service never shows them: the contract replaces them all the same. */
const times = ['default_check_in_time', 'default_check_out_time'];

/** What can be written besides the contract's fields. */
const further = ['description', 'managing_directors', 'bank_account', 'payment_terms'];

/** A property that is edited. */
export function propertySubject(id: string, { validate, verify }: EditOptions, session: Session): Subject {
  const { api, out, globals, context, settings } = session;
  const again = sameCommand(context.argv);
  const line = (...words: readonly string[]) => serviceLine(globals, 'properties', 'update', ...words);
  const trust = validate ? [] : ['--no-validate'];
  return {
    kind: 'property',
    id,
    name: `property ${id}`,
    place: placeOf(settings(), settings().baseUrl?.value),
    advice: [
      'A service may keep the times of day without ever showing them: add a line to change one.',
      ...['default_check_in_time: 15:00:00', 'default_check_out_time: 11:00:00'].map((each) => `  ${each}`),
    ],
    destination: () => session.destination('inventory'),
    resumedBy: (path) => serviceLine(globals, 'properties', 'edit', id, ...trust, '--file', path),
    unchanged: { id, updated: false },
    fixedIn: () => fixed,
    whyFixed: () => 'is fixed once the property is created',
    isText,
    read: () => api.properties.read(id, ['all']).catch(suggestingProperty(api, id)),
    changesBetween: (before, after) => changesBetween(before, after).map(asContract),
    mindsTypes: validate,
    async problemsOf(changes, after) {
      if (!validate) return [];
      const unknown = unknownNames(changes, known, line(id, '--add'));
      return [...missingFields(changes, after), ...unknown, ...(await valueProblems(changes))];
    },
    consent: () => session.confirm(`Send this change to property ${id}?`),
    async send(changes) {
      const steps = changes.map(({ step }) => step);
      const hint = `Look at it: ${lookAt(id, globals)}\nIf it does not show the change, edit it again:\n  ${again}`;
      const done = await api.properties
        .update(id, steps, { verify })
        .catch(suggestingProperty(api, id))
        .catch(inDoubt(hint));
      return () => reportWrite(out, `Updated property ${id}`, { id, updated: true }, done);
    },
  };
}

const inLocation = propertyFields.flatMap(({ path }) => (path.length === 2 ? [path[1]] : []));

const known = new Map([
  ['', [...new Set([...propertyFields.map(({ path }) => path[0]), ...further])]],
  ['location', [...inLocation, 'address_line2', 'region_code']],
]);

/** What a property is created with, whole and in parts. */
const needs = new Set(propertyFields.flatMap(({ path }) => [path[0], path.join('.')]));

/** What the contract names is a text, though a service shows a number; the rest is of the type that is shown. */
function isText(field: FieldPath, seen: unknown): boolean {
  const [first = ''] = field;
  const isNamed = propertyFields.some(({ path }) => path.join('.') === field.join('.'));
  if (isNamed || languageMaps.has(first)) return true;
  return seen === undefined || seen === null ? holdsTexts(pointerTo(...field)) : typeof seen === 'string';
}

function asContract(change: Change): Change {
  const { field, step } = change;
  const isTime = step.op === 'add' && times.includes(field.join('.'));
  return isTime ? { field, step: { ...step, op: 'replace' } } : change;
}

/** A text that was half saved must not empty a property: what it is created with stays there. */
function missingFields(changes: readonly Change[], after: ServiceRecord): readonly Problem[] {
  const { name } = after;
  const isNameless = isRecord(name) && Object.keys(name).length === 0;
  const removed = changes.filter(({ step }) => step.op === 'remove').map(({ field }) => field);
  const isEmptied = isNameless && removed.some(([first]) => first === 'name');
  const needed = removed.filter((field) => needs.has(field.join('.')));
  return [...(isEmptied ? [['name']] : []), ...needed].map((field) => ({
    field,
    reason: 'must not be missing: every property needs it',
  }));
}

/** As `properties update` checks them. */
async function valueProblems(changes: readonly Change[]): Promise<readonly Problem[]> {
  const problems = await Promise.all(
    changes.map(async ({ step }) =>
      (await writtenProblems([step])).map(({ field, reason }) => ({ field: fieldIn(field), reason })),
    ),
  );
  return problems.flat();
}

/** The field that a detail about a step names: `/location/postalCode`, or `/description fr` in a whole map. */
function fieldIn(named: string): FieldPath {
  return segmentsOf(named.replace(' ', '/')).map(snakeCaseName);
}
