import { Command } from '@commander-js/extra-typings';
import { textProblem } from '../../checks/text.ts';
import type { Context } from '../../context.ts';
import { invalidInput, OutcomeUnknown } from '../../errors.ts';
import { withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { collect } from '../options.ts';
import { askForMissing } from './ask.ts';
import { assembleBody } from './body.ts';
import { checkBody } from './check.ts';
import { propertyFields } from './fields.ts';
import { settleCommand } from './settle.ts';

/**
 * `properties create`: set up a property.
 *
 * POST /inventory/v1/properties, always with an idempotency key. The contract does not show which header
 * carries it: `idempotency_header` of the profile says so, `Idempotency-Key` otherwise.
 */
export function createProperty(context: Context) {
  const command = new Command('create')
    .alias('new')
    .summary('create a property')
    .description(
      'Create a property from flags, a file, or both (flags win); on a terminal it asks for the rest.',
    )
    .option('--file <path>', 'read the fields from YAML or JSON; - is stdin')
    .option('--idempotency-key <key>', 'key of this creation: the same key never creates twice')
    .option('--allow-unknown-fields', 'send fields of the file that the contract does not name')
    .option('--no-validate', 'leave the judgement of missing and wrong values to the service');
  for (const { flag, kind, summary } of propertyFields) {
    if (kind === 'languages') command.option(`--${flag} <lang=text>`, `${summary} (repeatable)`, collect);
    else command.option(`--${flag} <text>`, summary);
  }
  return command
    .addHelpText(
      'after',
      examples(
        'properties create --file hotel.yaml',
        'properties create --file hotel.yaml --code HAM --name en="Harbour Hotel" --name de=Hafenhotel',
        'properties create --file - --json < hotel.json',
      ),
    )
    .action(
      withSession(context, async (session, options) => {
        const key = idempotencyKey(options.idempotencyKey, context);
        const given = await assembleBody(options, context.stdin);
        const draft = options.validate ? await askForMissing(given, session) : given;
        if (options.validate) await checkBody(draft, session.out.warn);
        const again = settleCommand(draft, key, options.file, session.globals.profile);
        const created = await session.api.properties.create(draft.body, key).catch(withHint(again));
        await session.out.done(`Created property ${created.id}.`, {
          ...created,
          created: true,
          idempotency_key: key,
        });
      }),
    );
}

/** Adds to an unknown outcome the very command that settles it. */
function withHint(command: string) {
  return (error: unknown): never => {
    if (!(error instanceof OutcomeUnknown)) throw error;
    throw error.withHint(`This settles it, and creates nothing twice:\n  ${command}`);
  };
}

function idempotencyKey(given: string | undefined, { uuid }: Context): string {
  if (given === undefined) return uuid();
  const isSendable = /^[\x21-\x7e]{1,255}$/.test(given);
  const reason = textProblem(given) ?? (isSendable ? undefined : 'must be 1 to 255 visible ASCII characters');
  if (reason !== undefined) throw invalidInput([{ field: '--idempotency-key', reason }]);
  return given;
}
