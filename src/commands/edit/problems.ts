import { isDeepStrictEqual } from 'node:util';
import type { Difference, DiffSpec, FieldPath } from '../../model/diff.ts';
import { guess } from '../../model/names.ts';
import { pointerTo } from '../../model/patch.ts';
import { isFixedAt } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { neutraliseLine, shellLine } from '../../out/text.ts';
import type { TextRules, Written } from './text.ts';

/** Rules for the changes of an edit; field names are dotted. */
export interface EditRules extends TextRules {
  readonly spec: DiffSpec;
  /** Fields that cannot be changed, each with the reason. */
  readonly fixed: readonly string[];
  readonly whyFixed: string;
  /** Fields that may be added, by parent object; '' is the record. Other objects accept any. */
  readonly known: ReadonlyMap<string, readonly string[]>;
  /** Fields that must not be removed, each with the reason. */
  readonly needed: ReadonlyMap<string, string>;
  /** Whether values are checked before they are sent. */
  readonly validates: boolean;
}

/** A problem with one value of an edited text. */
export interface Problem {
  readonly field: FieldPath;
  readonly reason: string;
}

/** An edited text, and the record that it was made from. */
export interface Edited {
  readonly record: ServiceRecord;
  readonly written: Written;
  /** The editable fields of the text. */
  readonly after: ServiceRecord;
  readonly differences: readonly Difference[];
}

/**
 * The problems of an edited text.
 *
 * @param ofValues problems of the values themselves.
 * @param adding the beginning of a command line that adds a field of any name.
 */
export function problemsIn(
  edited: Edited,
  rules: EditRules,
  ofValues: readonly Problem[],
  adding: string,
): readonly Problem[] {
  const { differences } = edited;
  const own = rules.validates
    ? [
        ...differences
          .filter(({ path }) => isFixedAt(path, rules.fixed))
          .map(({ path }) => fixedAt(path, rules)),
        ...missingFields(edited, rules),
        ...differences.flatMap((each) => unknownNames(each, rules.known, adding)),
        ...ofValues,
      ]
    : [];
  const named = new Set(own.map(({ field }) => field.join('.')));
  const others = differences.filter(({ path }) => !named.has(path.join('.')));
  return [
    ...changedFixed(edited, rules),
    ...own,
    ...others.flatMap((each) => typeProblems(each, edited.written, rules)),
  ];
}

function fixedAt(field: FieldPath, { whyFixed }: EditRules): Problem {
  return { field, reason: whyFixed };
}

/** Uncommenting a fixed field is allowed; changing its value is not. */
function changedFixed({ record, written: { fields } }: Edited, rules: EditRules): readonly Problem[] {
  return rules.fixed
    .filter((name) => Object.hasOwn(fields, name))
    .filter((name) => !Object.hasOwn(record, name) || !isDeepStrictEqual(fields[name], record[name]))
    .map((name) => fixedAt([name], rules));
}

/** A truncated text must not remove fields. */
function missingFields({ differences, after }: Edited, { needed, spec }: EditRules): readonly Problem[] {
  const removed = differences.flatMap(({ path, state }) => {
    if (state !== 'removed') return [];
    const [first = ''] = path;
    const map = spec.languageMaps.has(first) ? after[first] : undefined;
    return isRecord(map) && Object.keys(map).length === 0 ? [first] : [path.join('.')];
  });
  return [...new Set(removed)].flatMap((field) => {
    const reason = needed.get(field);
    return reason === undefined ? [] : [{ field: field.split('.'), reason }];
  });
}

/** A misspelt name must not become a new field. */
function unknownNames(
  { path, from, to, state }: Difference,
  known: EditRules['known'],
  adding: string,
): readonly Problem[] {
  if (state !== 'missing' || from === null) return [];
  const inner = isRecord(to) && path.length === 1 ? Object.keys(to) : [];
  return [path, ...inner.map((name) => [...path, name])].flatMap((field) => {
    const name = field.at(-1) ?? '';
    const names = field.length > 2 ? undefined : known.get(field.slice(0, -1).join('.'));
    if (names === undefined || names.includes(name)) return [];
    const line = neutraliseLine(`${adding} ${shellLine([`${pointerTo(...field)}=JSON`])}`);
    return [{ field, reason: `is not a known field${guess(name, names, `to send it anyway: ${line}`)}` }];
  });
}

/** A number that JSON cannot represent exactly would be sent as a text. */
function typeProblems(
  { path, from, to, state }: Difference,
  { isUnsendable }: Written,
  { validates }: EditRules,
): readonly Problem[] {
  if (state !== 'different' || typeof from === typeof to || !(validates || isUnsendable(path))) return [];
  if (typeof from === 'boolean') return [{ field: path, reason: 'must be true or false' }];
  if (typeof from !== 'number') return [];
  return [{ field: path, reason: 'must be a number that can be sent exactly' }];
}
