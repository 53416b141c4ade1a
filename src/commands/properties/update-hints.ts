import { fieldPath, snakeCaseName } from '../../api/fields.ts';
import { type PatchStep, segmentsOf, setsAlone } from '../../api/patch.ts';
import { CliError } from '../../errors.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { type PatchFlags, readsStdin } from '../patch-flags.ts';
import { type Settling, serviceLine, settledByLooking, settledByRepeating } from '../settle.ts';
import { lookAt } from './by-id.ts';

/** The update that went wrong. */
interface Attempt {
  readonly id: string;
  readonly steps: readonly PatchStep[];
  readonly globals: GlobalOptions;
  readonly argv: readonly string[];
  readonly options: PatchFlags;
}

type Replacement = PatchStep & { readonly op: 'replace'; readonly value: unknown };

/** Texts that every property has; those that it may lack are added in any language. */
const neededTexts: readonly string[] = ['name', 'payment_terms'];

/**
 * Adds to a refusal how a language is added that a text does not have.
 *
 * @returns for `catch`; every error goes on.
 */
export function withLanguageHint(attempt: Attempt) {
  return (error: unknown): never => {
    if (!(error instanceof CliError) || error.status !== 422) throw error;
    const languages = refusedLanguages(error, attempt.steps);
    throw languages.length === 0 ? error : error.withHint(addingHint(languages, attempt));
  };
}

/** What settles an unknown outcome of an update. */
export function settling({ id, steps, globals, argv, options }: Attempt): Settling {
  return setsAlone(steps)
    ? settledByRepeating(argv, { readsStdin: readsStdin(options) })
    : settledByLooking(lookAt(id, globals));
}

/** The replaced languages that a refusal may be about: those it names, or all when it names nothing. */
function refusedLanguages({ details }: CliError, steps: readonly PatchStep[]): readonly Replacement[] {
  const replaced = steps.filter(isTextReplacement);
  if (details.length === 0) return replaced;
  const refused = new Set(
    details.map(({ field }) => fieldPath(field).replace(/^\/?/, '/').replaceAll('.', '/')),
  );
  return replaced.filter(({ path }) => refused.has(fieldPath(path)));
}

function isTextReplacement(step: PatchStep): step is Replacement {
  const [field = '', language, ...deeper] = segmentsOf(step.path);
  const isOfText = neededTexts.includes(snakeCaseName(field));
  return step.op === 'replace' && isOfText && language !== undefined && deeper.length === 0;
}

function addingHint(languages: readonly Replacement[], { id, steps, globals }: Attempt): string {
  const flags = languages.flatMap(({ path, value }) => ['--add', `${path}=${JSON.stringify(value)}`]);
  const command = serviceLine(globals, 'properties', 'update', id, ...flags);
  const rest = languages.length === steps.length ? '' : ' first';
  const text = languages.every(({ path }) => segmentsOf(path)[0] === 'name') ? 'the name' : 'a text';
  return `A language that ${text} does not have yet is added${rest}: ${command}`;
}
