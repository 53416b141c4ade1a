import { idProblem } from '../../api/path.ts';
import type { NewProperty } from '../../api/properties.ts';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { type Detail, detailsFor, invalidInput } from '../../errors.ts';
import { sameCommand } from '../../render/shell.ts';
import { type Session, withSession } from '../../session.ts';
import { tellingLine } from '../one-line.ts';
import { review, reviewOf } from '../review.ts';
import { inDoubt } from '../settle.ts';
import { importing } from '../several.ts';
import { assembleBody } from './body.ts';
import { completeDraft } from './complete.ts';
import { withFieldFlags } from './field-flags.ts';
import { propertyShape } from './shape.ts';

/**
 * `properties create`: set up a property.
 *
 * POST /inventory/v1/properties, always with an idempotency key. The contract does not show which header
 * carries it: `idempotency_header` of the profile says so, `Idempotency-Key` otherwise.
 */
export function createProperty(context: Context) {
  const command = new DescribedCommand('create', {
    effect: 'writes',
    on: 'service',
    examples: [
      'properties create --file hotel.yaml',
      'properties create --file hotel.yaml --code HAM --name en="Harbour Hotel" --name de=Hafenhotel',
      'properties create --like BER --code HAM --name en="Harbour Hotel"',
      'properties create --file - --json < hotel.json',
    ],
  })
    .alias('new')
    .summary('create a property')
    .description(
      'Create a property from flags, a file, or both (flags win); on a terminal it asks for the rest.',
    )
    .option('--file <path>', 'read the fields from YAML or JSON; - is stdin')
    .option('--like <id>', 'take what is not given from this property')
    .option('--idempotency-key <key>', 'key of this creation: the same key never creates twice')
    .option('--allow-unknown-fields', 'send fields of the file that the contract does not name')
    .option('--no-validate', 'leave the judgement of missing and wrong values to the service');
  return withFieldFlags(command).action(
    withSession(context, async (session, options) => {
      session.api.permit('createProperty');
      const key = idempotencyKey(options.idempotencyKey, context);
      const given = await assembleBody(options, context, likeDetails(options.like)).catch(
        importing('properties', options.file, session.globals),
      );
      const { body, argv, isAsked } = await completeDraft(given, options, session);
      if (isAsked) await consentTo(body, session);
      const hint = settlingHint(argv, options, key);
      await tellingLine(isAsked ? argv : undefined, session, async () => {
        const created = await session.api.properties.create(body, key).catch(inDoubt(hint));
        const facts = { ...created, created: true, idempotency_key: key };
        await session.out.done(`Created property ${created.id}.`, facts);
      });
    }),
  );
}

function likeDetails(id: string | undefined): readonly Detail[] {
  return id === undefined ? [] : detailsFor('--like', idProblem(id));
}

async function consentTo(body: NewProperty, session: Session): Promise<void> {
  await review(reviewOf(body, propertyShape), session);
  await session.confirm('Send it?');
}

/** @param argv says the whole body, but for what files hold. */
function settlingHint(
  argv: readonly string[],
  { file, idempotencyKey: given }: { readonly file?: string; readonly idempotencyKey?: string },
  key: string,
): string {
  const more = given === undefined ? ['--idempotency-key', key] : [];
  const sameInput = file === '-' || file?.startsWith('/dev/fd/') === true ? ', with the same input,' : '';
  return `This settles it${sameInput} and creates nothing twice:\n  ${sameCommand(argv, ...more)}`;
}

function idempotencyKey(given: string | undefined, { uuid }: Context): string {
  if (given === undefined) return uuid();
  if (/^[\x21-\x7e]{1,255}$/.test(given)) return given;
  throw invalidInput([{ field: '--idempotency-key', reason: 'must be 1 to 255 visible ASCII characters' }]);
}
