import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { invalidInput } from '../../errors.ts';
import { sameCommand } from '../../render/shell.ts';
import { withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { inDoubt } from '../settle.ts';
import { importing } from '../several.ts';
import { answersIn, askForMissing } from './ask.ts';
import { assembleBody } from './body.ts';
import { checkBody } from './check.ts';
import { withFieldFlags } from './field-flags.ts';

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
  return withFieldFlags(command)
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
        session.api.permit('createProperty');
        const key = idempotencyKey(options.idempotencyKey, context);
        const given = await assembleBody(options, context).catch(
          importing('properties', options.file, session.globals),
        );
        const draft = options.validate ? await askForMissing(given, session) : given;
        if (options.validate) await checkBody(draft, session.out.warn);
        const hint = settlingHint(context.argv, options, answersIn(draft, given), key);
        const created = await session.api.properties.create(draft.body, key).catch(inDoubt(hint));
        await session.out.done(`Created property ${created.id}.`, {
          ...created,
          created: true,
          idempotency_key: key,
        });
      }),
    );
}

function settlingHint(
  argv: readonly string[],
  { file, idempotencyKey: given }: { readonly file?: string; readonly idempotencyKey?: string },
  answers: readonly string[],
  key: string,
): string {
  const more = given === undefined ? [...answers, '--idempotency-key', key] : answers;
  const sameInput = file === '-' || file?.startsWith('/dev/fd/') === true ? ', with the same input,' : '';
  return `This settles it${sameInput} and creates nothing twice:\n  ${sameCommand(argv, ...more)}`;
}

function idempotencyKey(given: string | undefined, { uuid }: Context): string {
  if (given === undefined) return uuid();
  if (/^[\x21-\x7e]{1,255}$/.test(given)) return given;
  throw invalidInput([{ field: '--idempotency-key', reason: 'must be 1 to 255 visible ASCII characters' }]);
}
