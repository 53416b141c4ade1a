import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { type Difference, propertySpec, stepOf } from '../../model/diff.ts';
import { snakeCaseName } from '../../model/fields.ts';
import { segmentsOf } from '../../model/patch.ts';
import {
  allPropertyFields,
  languageMaps,
  type PropertyField,
  serviceFields,
  timeFields,
} from '../../model/property-fields.ts';
import { type Dialect, takes } from '../../service/dialect.ts';
import type { Subject } from '../edit/edit-record.ts';
import type { EditRules } from '../edit/edited.ts';
import { serviceLine } from '../lines.ts';
import { withReferences } from '../references.ts';
import { reportWrite } from '../write.ts';
import { isFixed, writtenProblems } from './changes.ts';
import { checkId, readProperty, suggestProperty } from './get.ts';
import { properties, propertiesArgument } from './reference.ts';

/**
 * `properties edit <id>`: a property in an editor.
 *
 * GET, then PATCH /inventory/v1/properties/{id}. The service decides which fields can be changed, except for those
 * fixed at creation.
 */
export function editProperty(context: Context) {
  return serviceCommand('edit', 'writes', ['properties edit BER', 'properties edit BER --dry-run'])
    .summary('edit a property in an editor')
    .description('Open a property as YAML in your editor, then review and send the changes.')
    .argument(`[${properties.argument}]`, propertiesArgument[1])
    .option('--no-validate', 'let the service validate names and values')
    .option('--file <path>', 'start from this file, such as a saved draft, instead of the record')
    .option('--no-verify', 'do not verify the change by reading the property back')
    .action(
      withReferences(context, properties, {
        named: 'writes',
        one: editOne,
      }),
    );
}

async function editOne(id: string, options: EditOptions, session: Session): Promise<void> {
  session.api.permit('updateProperty', id);
  await checkId(id, session.api);
  const { chosenEditor, editRecord } = await import('../edit/edit-record.ts');
  const editor = chosenEditor(session, serviceLine(session.globals, 'properties', 'update', '--help'));
  await editRecord(propertySubject(id, options, session), editor, options.file, session);
}

interface EditOptions {
  readonly file?: string;
  readonly validate: boolean;
  readonly verify: boolean;
}

const timesAdvice = [
  'A service may never show times of day: add a line to set one.',
  ...['default_check_in_time: 15:00:00', 'default_check_out_time: 11:00:00'].map((each) => `  ${each}`),
];

/** The property as the subject of an edit. */
function propertySubject(id: string, { validate, verify }: EditOptions, session: Session): Subject {
  const { api, out } = session;
  const { fixedFields } = api.dialect;
  const rules = rulesFor(api.dialect, validate);
  return {
    kind: 'property',
    id,
    reference: id,
    flags: validate ? [] : ['--no-validate'],
    advice: [
      ...fixedFields.filter((name) => name.includes('.')).map((name) => `${name} ${isFixed}.`),
      ...(timeFields.some((time) => fixedFields.includes(time)) ? [] : timesAdvice),
    ],
    rulesFor: () => rules,
    unchanged: { id, updated: false },
    read: () => readProperty(id, api),
    valueProblems: (differences) => valueProblems(differences, api.dialect.propertyFields),
    consent: () => session.confirm(`Send this change to property ${id}?`),
    async send(steps) {
      const done = await api.properties.update(id, steps, { verify }).catch(suggestProperty(api, id));
      return () => reportWrite(out, `Updated property ${id}`, { id, updated: true }, done);
    },
  };
}

/** The fields of a property in any dialect. */
const knownFields = [...new Set(allPropertyFields.map(({ path }) => path[0]))];

/** The rules of the dialect; other objects accept any names. */
function rulesFor(dialect: Dialect, validates: boolean): EditRules {
  const { propertyFields: fields, fixedFields } = dialect;
  const given = serviceFields.filter((name) => !takes(dialect, 'updateProperty', name));
  const paths = fields.map(({ path }) => path.join('.'));
  const needed = fields.filter(({ isOptional }) => isOptional !== true);
  const inside = (outer: string) => fields.flatMap(({ path }) => (path[0] === outer ? (path[1] ?? []) : []));
  const account = inside('bank_account');
  return {
    spec: propertySpec,
    fixed: [...fixedFields, ...given],
    whyFixed: isFixed,
    texts: new Set([...paths, ...languageMaps]),
    objects: new Set(fields.map(({ path }) => path[0])),
    known: new Map([
      ['', knownFields],
      ['location', [...new Set([...inside('location'), 'address_line2', 'region_code'])]],
      ...(account.length === 0 ? [] : [['bank_account', account] as const]),
    ]),
    needed: new Map(
      needed
        .flatMap(({ path }) => [path[0], path.join('.')])
        .map((name) => [name, 'must not be missing: every property needs it']),
    ),
    validates,
  };
}

/** The same checks as in `properties update`. */
function valueProblems(differences: readonly Difference[], fields: readonly PropertyField[]) {
  const steps = differences.map((each) => stepOf(each, propertySpec));
  const details = writtenProblems(steps, fields);
  // The field is `/location/postalCode`, or `/description fr` for a whole map.
  return details.map(({ field, reason }) => ({
    field: segmentsOf(field.replace(' ', '/')).map(snakeCaseName),
    reason,
  }));
}
