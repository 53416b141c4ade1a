import { serviceCommand } from '../../cli/described-command.ts';
import { invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { review, reviewOf } from '../ask.ts';
import { type LookFlags, reportExisting } from '../creation.ts';
import { withEquivalentLine } from '../lines.ts';
import { propertyShape } from '../shapes.ts';
import { completeDraft } from './ask.ts';
import {
  type CodeLook,
  type Created,
  createOnce,
  existingByRefusal,
  lookForCode,
  type TypedCreation,
} from './create-once.ts';
import { idDetails } from './get.ts';
import { assembleBody, draftProblems, missingIn, withFieldFlags } from './given.ts';

/** Fields that properties do not show, so that --like cannot copy them. */
const TIMES = '--default-check-in-time 15:00:00 --default-check-out-time 11:00:00';

/**
 * `properties create`: create a property.
 *
 * POST /inventory/v1/properties, always with an idempotency key. The contract does not name its header: it is
 * `idempotency_header` of the profile, by default `Idempotency-Key`.
 */
export function createProperty(context: Context) {
  const command = serviceCommand('create', 'writes', [
    'properties create --file hotel.yaml',
    'properties create --file hotel.yaml --code HAM --name en="Harbour Hotel" --name de=Hafenhotel',
    `properties create --like BER --code HAM --name en="Harbour Hotel" ${TIMES}`,
    'properties create --file - --json < hotel.json',
  ])
    .alias('new')
    .summary('create a property')
    .description(
      'Create a property from flags, a file, or both; flags override the file. Prompts for missing values on a terminal. The dialect apaleo also requires --payment-terms.',
    )
    .option('--file <path>', 'read the fields from YAML or JSON; - for stdin')
    .option('--like <id>', 'copy missing fields from this property')
    .option('--idempotency-key <key>', 'idempotency key (default: generated, and reused for ten minutes)')
    .option('--if-not-exists', 'succeed and print the id if a property with the code exists')
    .option('--no-check', 'do not check first if a property with the code exists')
    .option('--allow-unknown-fields', 'send unknown fields of the file')
    .option('--no-validate', 'let the service validate missing and wrong values');
  return withFieldFlags(command).action(
    withSession(context, async (session, options) => {
      session.api.permit('createProperty');
      const givenKey = idempotencyKey(options.idempotencyKey);
      // The service recognizes a repeated key.
      const check = options.check && givenKey === undefined;
      const flags = { ...options, check };
      const like = options.like === undefined ? [] : await idDetails(options.like, session.api, '--like');
      const given = await assembleBody(options, session, like);
      const isAsked = options.validate && session.mayAsk() && missingIn(given).length > 0;
      let look: CodeLook | undefined;
      if (isAsked) {
        // Report errors before prompting.
        const wrong = draftProblems(given, false);
        if (wrong.length > 0) throw invalidInput(wrong, 'innctl properties create --help');
        look = await lookForCode(given.body, flags, session);
        if (look.existing !== undefined) return reportExisting(look.existing, flags, session);
      }
      const { body, argv } = await completeDraft(given, { ...options, isAsked }, session);
      if (look === undefined || given.body['code'] !== body['code'])
        look = await lookForCode(body, flags, session);
      if (look.existing !== undefined) return reportExisting(look.existing, flags, session);
      const typed = { body, givenKey, wasAbsent: look.isAbsent, argv, file: options.file };
      const line = isAsked ? argv : undefined;
      await withEquivalentLine(line, session, create(typed, { ...flags, isAsked }, session));
    }),
  );
}

async function create(
  typed: TypedCreation,
  flags: LookFlags & { readonly isAsked: boolean },
  session: Session,
): Promise<void> {
  if (flags.isAsked) {
    await review(reviewOf(typed.body, propertyShape), 'inventory', session);
    await session.confirm('Send it?');
  }
  try {
    await reportCreated(await createOnce(typed, session), session);
  } catch (error) {
    const existing = await existingByRefusal(typed.body, error, flags, session);
    if (existing === undefined) throw error;
    await reportExisting(existing, flags, session);
  }
}

async function reportCreated({ record, key, isVisible }: Created, { out }: Session): Promise<void> {
  const facts = { ...record, created: true, idempotency_key: key };
  const isLate = isVisible === false;
  const sentence = `Created property ${record.id}${isLate ? ': not visible yet' : ''}.`;
  await out.done(sentence, isLate ? { ...facts, verification: 'not_yet_visible' } : facts);
}

function idempotencyKey(given: string | undefined): string | undefined {
  if (given === undefined || /^[\x21-\x7e]{1,255}$/.test(given)) return given;
  throw invalidInput([{ field: '--idempotency-key', reason: 'must be 1 to 255 visible ASCII characters' }]);
}
