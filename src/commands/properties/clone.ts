import { serviceLine } from '../../change/lines.ts';
import { withReferences } from '../../change/references.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { allPropertyFields } from '../../model/property-fields.ts';
import { refuseBeyond } from '../options.ts';
import { type CreateFlags, createFrom, TIMES } from './create.ts';
import { withFieldFlags } from './given.ts';
import { properties, resolveProperties } from './reference.ts';

/**
 * `properties clone <id>`: create a property with the inventory and the rate plans of another one.
 *
 * POST /inventory/v1/property-actions/{id}/clone, of the dialect apaleo alone, always with an idempotency key. It takes the whole
 * body of a creation: what is not given is read from the source.
 */
export function cloneProperty(context: Context) {
  const command = serviceCommand('clone copy', 'writes', [
    `properties clone BER --code HAM --name en="Harbour Hotel" ${TIMES}`,
    'properties clone BER --file hotel.yaml --code HAM --json',
  ])
    .summary('create a property with the inventory of another one')
    .description(
      'Create a property with the inventory and rate plans of another one, not its people (dialect apaleo). Fields that are not given are copied; the code and the two times of day are needed.',
    )
    .argument('[id]', 'id of the property to clone; at a terminal also its name')
    .option('--file <path>', 'read the fields from YAML or JSON; - for stdin')
    .option('--idempotency-key <key>', 'idempotency key (default: generated)')
    .option('--if-not-exists', 'succeed and print the id if a property with the code exists')
    .option('--no-check', 'do not check first if a property with the code exists')
    .option('--allow-unknown-fields', 'send unknown fields of the file')
    .option('--no-validate', 'let the service validate missing and wrong values');
  const all = withFieldFlags(command);
  const refuse = (session: Session) => {
    const line = createLine(all.args[0], valuesOf(all), session);
    refuseBeyond('cloneProperty', 'properties clone', session, line);
  };
  const clone = async ([typed = '']: readonly string[], flags: CreateFlags, session: Session) => {
    const { api } = session;
    const read = async (id: string) => ({ property: await api.properties.read(id, ['all']) });
    const [found] = await resolveProperties([typed], { isWrite: true, isRead: false, read }, session);
    const source = found?.word ?? typed;
    await createFrom(flags, { like: source, source }, session);
  };
  const how = { operation: 'cloneProperty', all: clone, choosesSeveral: () => false } as const;
  return all.action(withReferences<CreateFlags>(context, { ...properties, refuse }, how));
}

/** The command line that copies the fields alone, with what was typed and the dialect takes. */
function createLine(
  source: string | undefined,
  values: readonly (readonly string[])[],
  { api, globals }: Session,
): string {
  const taken = new Set(api.dialect.propertyFields.map(({ flag }) => `--${flag}`));
  const foreign = new Set(
    allPropertyFields.map(({ flag }) => `--${flag}`).filter((flag) => !taken.has(flag)),
  );
  const words = values.filter(([flag = '']) => !foreign.has(flag)).flat();
  if (source === undefined) return serviceLine(globals, 'properties', 'create', '--help');
  return serviceLine(globals, 'properties', 'create', '--like', source, ...words);
}

/** The flags of a command as typed, each with its value. */
function valuesOf(command: ReturnType<typeof withFieldFlags>): readonly (readonly string[])[] {
  const values: Readonly<Record<string, unknown>> = command.opts();
  return command.options.flatMap((option) => {
    const { long = '', negate } = option;
    const value = values[option.attributeName()];
    if (negate) return value === false ? [[long]] : [];
    return [value ?? []].flat().map((each) => (each === true ? [long] : [long, String(each)]));
  });
}
