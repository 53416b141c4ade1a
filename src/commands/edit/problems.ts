import { pointerTo } from '../../api/patch.ts';
import { canonical } from '../../apply/canonical.ts';
import { nearest } from '../../checks/nearest.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';
import { shellLine } from '../../render/shell.ts';
import { neutraliseLine } from '../../render/text.ts';
import type { Change } from './changes.ts';
import type { Problem, Subject } from './subject.ts';
import type { FieldPath, Written } from './text.ts';

interface Edited {
  readonly subject: Subject;
  readonly record: ServiceRecord;
  /** What could be changed, and was not yet. */
  readonly before: ServiceRecord;
  /** The same as the text has it. */
  readonly after: ServiceRecord;
  readonly written: Written;
  readonly changes: readonly Change[];
}

/** All that is wrong with an edited text: what cannot be changed, values of another type, and what the subject says. */
export async function problemsIn(edited: Edited): Promise<readonly Problem[]> {
  const { subject, record, after, written, changes } = edited;
  const own = await subject.problemsOf(changes, after);
  const named = new Set(own.map(({ field }) => field.join('.')));
  const others = changes
    .filter(({ field }) => !named.has(field.join('.')))
    .flatMap((change) => typeProblems(change, edited));
  return [...fixedProblems(subject, record, written.fields), ...own, ...others];
}

/**
 * New names that nobody knows: a misspelt one must not be sent as a field of its own.
 *
 * @param known by the object they stand in; those of the record itself under ''. Other objects may hold any.
 * @param otherwise the beginning of a command line that sends such a field all the same.
 */
export function unknownNames(
  changes: readonly Change[],
  known: ReadonlyMap<string, readonly string[]>,
  otherwise: string,
): readonly Problem[] {
  return changes.flatMap(({ field, step }) => {
    if (step.op !== 'add') return [];
    const inner = isRecord(step.value) && field.length === 1 ? Object.keys(step.value) : [];
    return [field, ...inner.map((name) => [...field, name])].flatMap((path) =>
      nameProblem(path, known, otherwise),
    );
  });
}

function nameProblem(
  field: FieldPath,
  known: ReadonlyMap<string, readonly string[]>,
  otherwise: string,
): readonly Problem[] {
  const name = field.at(-1) ?? '';
  const names = field.length > 2 ? undefined : known.get(field.slice(0, -1).join('.'));
  if (names === undefined || names.includes(name)) return [];
  const meant = nearest(name, names);
  const line = neutraliseLine(`${otherwise} ${shellLine([`${pointerTo(...field)}=JSON`])}`);
  const advice = meant === undefined ? `to send it all the same: ${line}` : `did you mean ${meant}?`;
  return [{ field, reason: `is no field that is known here; ${advice}` }];
}

/** Somebody may take the comment sign away; only another value is wrong. */
function fixedProblems(subject: Subject, record: ServiceRecord, fields: ServiceRecord): readonly Problem[] {
  return subject
    .fixedIn(record)
    .filter((name) => Object.hasOwn(fields, name))
    .filter((name) => !Object.hasOwn(record, name) || canonical(fields[name]) !== canonical(record[name]))
    .map((name) => ({ field: [name], reason: subject.whyFixed(name) }));
}

/** A number that JSON cannot carry would be sent as a text: nobody but us can tell. */
function typeProblems({ field, step }: Change, { subject, before, written }: Edited): readonly Problem[] {
  if (step.op !== 'replace' || !(subject.mindsTypes || written.isUnsendable(field))) return [];
  const wanted = typeof valueAt(before, field);
  if (wanted === typeof step.value) return [];
  if (wanted === 'boolean') return [{ field, reason: 'must be true or false' }];
  return wanted === 'number' ? [{ field, reason: 'must be a number that can be sent exactly' }] : [];
}

function valueAt(record: ServiceRecord, field: FieldPath): unknown {
  return field.reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    record,
  );
}
