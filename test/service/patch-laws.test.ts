import { applyPatch } from 'fast-json-patch';
import { expect, test } from 'vitest';
import { normalise } from '../../src/model/fields.ts';
import {
  compare,
  includes,
  isRepeatable,
  overlap,
  type PatchStep,
  pointerTo,
  segmentsOf,
} from '../../src/model/patch.ts';
import { jsonValue, text } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

const names = fc.constantFrom('enabled', 'properties', 'firstName', 'name', 'location', 'a/b', 'c~d', '~1');
const languages = fc.constantFrom('en', 'de', 'de-AT', 'a/b', 'c~d');
const values = fc.oneof(
  fc.constantFrom<unknown>('Ana', ' Ana ', 'Ben', '', true, false, 0, 4, [], ['BER'], ['BER', 'MUC']),
  fc.dictionary(languages, fc.constantFrom('Berlin', 'Wien'), { maxKeys: 2 }),
);

/** A record with some nested maps, so that steps may lead into them. */
const record = fc
  .dictionary(names, values, { maxKeys: 6 })
  .map((fields) => ({ ...fields, name: { en: 'Hotel' } }));

/** Steps that every service accepts. */
const step: fc.Arbitrary<PatchStep> = fc.oneof(
  fc.record({ op: fc.constant('add' as const), path: names.map((name) => pointerTo(name)), value: values }),
  fc.record({
    op: fc.constant('add' as const),
    path: languages.map((language) => pointerTo('name', language)),
    value: fc.constantFrom('Berlin', 'Wien'),
  }),
);

test('a pointer and its segments convert into each other', () => {
  fc.assert(
    fc.property(fc.array(text), (segments) => {
      expect(segmentsOf(pointerTo(...segments))).toEqual(segments);
    }),
  );
});

test('a pointer resolves to the value that another implementation added there', () => {
  fc.assert(
    fc.property(text, jsonValue, (name, value) => {
      fc.pre(name !== '__proto__' && name !== 'constructor');
      const patched = applyPatch<Record<string, unknown>>({}, [{ op: 'add', path: pointerTo(name), value }]);

      expect(patched.newDocument).toEqual({ [name]: value });
    }),
  );
});

test('a patched record differs only in the fields that were sent', () => {
  fc.assert(
    fc.property(record, fc.array(step, { maxLength: 4 }), (before, steps) => {
      let after: Record<string, unknown>;
      try {
        // Some steps do not apply: into a list, or a string.
        after = applyPatch<Record<string, unknown>>(structuredClone(before), [
          ...structuredClone(steps),
        ]).newDocument;
      } catch {
        return;
      }

      expect(compare(normalise(after), steps).different).toEqual([]);
    }),
  );
});

test('a patch that is repeatable has the same effect when sent twice', () => {
  fc.assert(
    fc.property(record, fc.array(step, { maxLength: 4 }), (before, steps) => {
      fc.pre(isRepeatable(steps));
      const apply = (to: Record<string, unknown>) =>
        applyPatch<Record<string, unknown>>(structuredClone(to), [...structuredClone(steps)]).newDocument;
      let once: Record<string, unknown>;
      try {
        once = apply(before);
      } catch {
        return;
      }

      expect(apply(once)).toEqual(once);
    }),
  );
});

test('every value includes itself, and a record with more fields includes one with fewer', () => {
  fc.assert(
    fc.property(jsonValue, text, jsonValue, (value, name, other) => {
      expect(includes(value, value)).toBe(true);
      expect(includes({ [name]: other, value }, { value })).toBe(true);
    }),
  );
});

test('overlap of two pointers is symmetric', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 3 }), fc.array(text, { maxLength: 3 }), (some, others) => {
      const [path, other] = [pointerTo(...some), pointerTo(...others)];

      expect(overlap(path, other)).toBe(overlap(other, path));
      expect(overlap(path, path)).toBe(true);
      expect(overlap(path, pointerTo(...some, ...others))).toBe(true);
    }),
  );
});

test('converting a record to snake_case is idempotent and keeps every value', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.oneof(names, text), jsonValue), (fields) => {
      const once = normalise(fields);

      expect(normalise(once)).toEqual(once);
      expect(Object.keys(once).length).toBeLessThanOrEqual(Object.keys(fields).length);
      for (const [name, value] of Object.entries(fields)) {
        if (!/^(first|location|properties|bank|actions|reasons)/.test(name) && !/[a-z][A-Z0-9]/.test(name))
          expect(once[name]).toEqual(value);
      }
    }),
  );
});
