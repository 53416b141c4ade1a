import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseYaml } from '../../src/fs/yaml.ts';
import { toYaml } from '../../src/print/yaml.ts';
import { fileText, fileValue } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

/** The value after a JSON round trip, with 0 for -0. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('written YAML is read back as the same value by YAML 1.2 and 1.1', () => {
  fc.assert(
    fc.property(fileValue, (value) => {
      const yaml = toYaml(value);

      expect(parse(yaml)).toEqual(asJson(value));
      expect(parse(yaml, { version: '1.1', merge: false })).toEqual(asJson(value));
    }),
    { examples: [[[-0]]] },
  );
});

test('innctl reads its own YAML', () => {
  fc.assert(
    fc.property(fileValue, (value) => {
      expect(parseYaml(toYaml(value), 'hotels.yaml').value).toEqual(asJson(value));
    }),
    { examples: [[[-0]]] },
  );
});

test('a string stays a string, also as a key', () => {
  fc.assert(
    fc.property(fileText, (text) => {
      const yaml = toYaml({ [text]: [text, { inside: text }] });

      expect(parseYaml(yaml, 'hotels.yaml').texts).toEqual({ [text]: [text, { inside: text }] });
    }),
  );
});
