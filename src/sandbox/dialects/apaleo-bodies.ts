import { camelCasePath, inCamelCaseAt, normalise, normaliseValue, snakeCaseName } from '../../api/fields.ts';
import { pointerTo, segmentsOf } from '../../api/patch.ts';
import { isRecord } from '../../records.ts';
import { type Refusal, refusal } from '../operations/refusal.ts';

/** A body under the names that operations read. @throws {Refusal} 422 for names of the contract that are not this service's. */
export function asRead(body: unknown): unknown {
  if (!isRecord(body)) return body;
  const strange = strangers(body, inCamelCaseAt([], body), '');
  if (strange.length > 0) throw unknown(strange);
  return normalise(body);
}

/** The operations of a JSON Patch. @throws {Refusal} 422 as `asRead`. */
export function stepsAsRead(steps: readonly unknown[]): readonly unknown[] {
  return steps.map((step) => {
    if (!isRecord(step) || typeof step['path'] !== 'string') return step;
    const { path, value } = step;
    const segments = segmentsOf(path);
    const isSpelt = pointerTo(...camelCasePath(segments)) === path;
    if (segments.length > 0 && !isSpelt) throw unknown([path]);
    const strange = strangers(value, inCamelCaseAt(segments, value), `${path}/`);
    if (strange.length > 0) throw unknown(strange);
    const [first = ''] = segments;
    return 'value' in step && segments.length === 1
      ? { ...step, value: normaliseValue(snakeCaseName(first), value) }
      : step;
  });
}

/** Names that the spelling of this service changes: whoever sends them speaks another dialect. */
function strangers(given: unknown, spelt: unknown, place: string): readonly string[] {
  if (!isRecord(given) || !isRecord(spelt)) return [];
  return Object.keys(given).flatMap((name) =>
    Object.hasOwn(spelt, name)
      ? strangers(given[name], spelt[name], `${place}${name}.`)
      : [`${place}${name}`],
  );
}

function unknown(names: readonly string[]): Refusal {
  return refusal(422, 'unknown_fields', names.map((name) => `${name} is not a known field.`).join(' '));
}
