import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { camelCase } from '../src/model/fields.ts';

/** The table, what one service spells or requires otherwise, and the records that a sandbox begins with. */
const homes = /^(?:model\/kinds|service\/apaleo|sandbox\/seeds\/.*)\.ts$/;

const access = 'what access a record shows, and means';
const people = 'what the sandbox keeps of people';

/** Telling fields, and in which files besides they are spelt, and why. */
const spelt: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  max_persons: {},
  first_name: { 'model/access.ts': access, 'sandbox/people.ts': people },
  property_roles: { 'model/access.ts': access, 'sandbox/people.ts': people },
  default_check_in_time: {},
  commercial_register_entry: {},
  managing_directors: {},
  payment_terms: {},
  condition: {},
  connected: { 'service/wire/connections.ts': 'the English word' },
  is_account_admin: { 'model/access.ts': access, 'sandbox/people.ts': people },
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !homes.test(path))
  .map((path) => ({ path, text: withoutProse(readFileSync(posix.join('src', path), 'utf8')) }));

test.each(Object.entries(spelt))(
  '%s is a row of the table, and spelt in two files besides at most',
  (name, reasons) => {
    const word = new RegExp(`\\b(?:${name}|${camelCase(name)})\\b`);
    const found = sources.filter(({ text }) => word.test(text)).map(({ path }) => path);

    expect(sources.length).toBeGreaterThan(200);
    expect(found.toSorted()).toEqual(Object.keys(reasons).toSorted());
    expect(found.length).toBeLessThanOrEqual(2);
  },
);

/** Code without comments, and without texts that have a blank: sentences and command lines. */
function withoutProse(text: string): string {
  return text
    .replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)* (?:[^`\\]|\\.)*`/g, "''");
}
