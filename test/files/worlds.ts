import type { Entry } from '../../src/files/entry.ts';
import type { ServiceRecord } from '../../src/model/records.ts';
import { sameName } from '../../src/model/text.ts';
import { entryOf, type Stock } from '../change/plan-service.ts';
import { fc } from '../helpers/laws.ts';

/** A manifest and a service that are generated independently. */
export interface World {
  readonly entries: readonly Entry[];
  readonly stock: Stock;
}

const codes = ['BER', 'MUC', 'VIE', 'ber', 'Zürich', 'K L', '__proto__', 'constructor'];
const emails = ['ana@example.com', 'ben@example.com', 'Ana@Example.com', 'cyd@example.com'];

const text = fc.oneof(fc.constantFrom('Nord GmbH', 'DE1', 'NO', ''), fc.string({ unit: 'grapheme' }));
const code = fc.constantFrom(...codes);
const email = fc.constantFrom(...emails);
const references = fc.uniqueArray(code, { maxLength: 3, selector: sameName });

/** The fields of a property; a record shows all of them. */
const propertyFields = fc.record(
  {
    company_name: text,
    tax_id: text,
    name: fc.dictionary(fc.constantFrom('en', 'de'), text, { minKeys: 1 }),
    time_zone: fc.constantFrom('Europe/Berlin', 'Europe/Vienna'),
  },
  { requiredKeys: ['name'] },
);

const properties = fc.uniqueArray(fc.tuple(code, propertyFields), { selector: ([name]) => sameName(name) });

const invitations = fc.uniqueArray(
  fc.tuple(email, fc.record({ role: fc.constantFrom('Housekeeping', 'Front Desk'), properties: references })),
  { selector: ([name]) => sameName(name) },
);

const users = fc.uniqueArray(
  fc.tuple(email, fc.record({ enabled: fc.boolean(), properties: references }, { requiredKeys: [] })),
  { selector: ([name]) => sameName(name) },
);

const entries = fc
  .tuple(properties, invitations, users)
  .chain(([hotels, invited, people]) =>
    fc.shuffledSubarray([
      ...hotels.map(([name, fields]) => entryOf('property', name, fields)),
      ...invited.map(([name, fields]) => entryOf('invitation', name, fields)),
      ...people.map(([name, fields]) => entryOf('user', name, fields)),
    ]),
  );

const stocks = fc
  .tuple(properties, invitations, users, fc.boolean())
  .map(([hotels, invited, people, hidesCodes]): Stock => {
    const ids = new Map(hotels.map(([name], index) => [sameName(name), `p-${index}`]));
    const idsOf = (names: readonly string[] = []) => names.flatMap((name) => ids.get(sameName(name)) ?? []);
    const records = hotels.map(
      ([name, fields], index): ServiceRecord => ({ ...fields, id: `p-${index}`, code: name }),
    );
    return {
      properties: records,
      listed: records.map(({ id, code: shown }) => (hidesCodes ? { id } : { id, code: shown })),
      roles: [],
      invitations: invited.map(
        ([name, fields]): ServiceRecord => ({
          ...fields,
          email: name,
          is_account_admin: false,
          properties: idsOf(fields.properties),
        }),
      ),
      users: people.map(
        ([name, fields], index): ServiceRecord => ({
          subject_id: `u-${index}`,
          email: name,
          enabled: fields.enabled ?? true,
          properties: idsOf(fields.properties),
        }),
      ),
    };
  });

/** Any manifest with any service. */
export const worlds: fc.Arbitrary<World> = fc.record({ entries, stock: stocks });
