import { Command } from '@commander-js/extra-typings';
import type { PatchStep } from '../../api/patch.ts';
import type { Context } from '../../context.ts';
import { invalidInput, usageError } from '../../errors.ts';
import type { Output } from '../../render/output.ts';
import { withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { type PatchFlags, stepsFrom, withPatchFlags } from '../patch-flags.ts';
import { reportWrite } from '../read-back.ts';
import { inDoubt } from '../settle.ts';
import { idDetails, suggestingProperty } from './by-id.ts';
import { givenProblems, holdsTexts, stepsOf, warningFor, writtenProblems } from './changes.ts';
import { givenFields, withFieldFlags } from './field-flags.ts';
import { settlingHint, withLanguageHint } from './update-hints.ts';

/**
 * `properties update <id>`: change what was named, and nothing else.
 *
 * PATCH /inventory/v1/properties/{id}. The contract shows replace at /name/<language_code> and /defaultCheckInTime;
 * which other fields can be changed is the service's to say.
 */
export function updateProperty(context: Context) {
  const command = new Command('update')
    .summary('change a property')
    .description('Change fields of a property by their flags, or whatever a JSON Pointer names.')
    .argument('<id>', 'id of the property')
    .option('--no-validate', 'leave the judgement of wrong values to the service');
  return withPatchFlags(withFieldFlags(command))
    .addHelpText(
      'after',
      examples(
        'properties update BER --name de="Grandhotel am Markt"',
        'properties update BER --default-check-in-time 15:00:00 --default-check-out-time 11:00:00',
        `properties update BER --add '/name/fr="Grand Hôtel"' --remove /description/fr`,
        'properties update BER --patch changes.yaml --dry-run',
      ),
    )
    .action(
      withSession(context, async ({ api, out, globals }, id, options) => {
        api.permit('updateProperty', id);
        const steps = await changesFrom(id, options, context, out);
        const attempt = { id, steps, globals, argv: context.argv, options };
        const done = await api.properties
          .update(id, steps, { verify: options.verify })
          .catch(suggestingProperty(api, id))
          .catch(withLanguageHint(attempt))
          .catch(inDoubt(settlingHint(attempt)));
        await reportWrite(out, `Updated property ${id}`, { id, updated: true }, done);
      }),
    );
}

/**
 * The steps that the command line asks for, checked.
 *
 * @throws {CliError} exit 2 naming all that is wrong with the words, then all that is wrong with the values.
 */
async function changesFrom(
  id: string,
  flags: PatchFlags & { readonly validate: boolean },
  context: Context,
  out: Output,
): Promise<readonly PatchStep[]> {
  const { given, details } = givenFields(flags);
  const own = stepsOf(given);
  const wrong = flags.validate ? await givenProblems(given) : [];
  const paths = own.map(({ path }) => path);
  const earlier = [...idDetails(id), ...details, ...wrong];
  const further = await stepsFrom(paths, flags, context, earlier, holdsTexts);
  const steps = [...own, ...further];
  if (steps.length === 0) {
    throw usageError(
      'Nothing to change was named: give the flag of a field, --set, --add, --remove or --patch.',
      'innctl properties update --help',
    );
  }
  if (!flags.validate) return steps;
  const problems = await writtenProblems(further);
  if (problems.length > 0) throw invalidInput(problems);
  const warning = warningFor(steps);
  if (warning !== undefined) await out.warn(warning);
  return steps;
}
