import type { Context } from '../cli/ports.ts';
import type { UserChanges } from '../model/access-change.ts';
import { textProblem } from '../model/text.ts';
import { neutraliseLine } from '../out/text.ts';
import type { ReviewLine } from './ask.ts';

/** A change entered in prompts. */
export interface AskedChange {
  readonly changes: UserChanges;
  /** The equivalent flags. */
  readonly flags: readonly string[];
  readonly line: ReviewLine;
}

/** A field that can be changed in prompts. */
export interface Question {
  readonly field: string;
  readonly label: string;
  /** The current value; `undefined` if not shown. */
  readonly shown: string | undefined;
  /** Prompts for the new value. @returns nothing if it is unchanged. */
  ask(): Promise<readonly AskedChange[]>;
}

/** Prompts for the fields to change, then for the new value of each. */
export async function askChanges(
  title: string,
  questions: readonly Question[],
  { prompter }: Pick<Context, 'prompter'>,
): Promise<readonly AskedChange[]> {
  const choices = questions.map(({ field, label, shown = '(not shown)' }) => ({
    value: field,
    label: neutraliseLine(`${label}: ${shown}`),
  }));
  const picked = await prompter.chooseSeveral(title, choices);
  const asked: AskedChange[] = [];
  for (const { field, ask } of questions) if (picked.includes(field)) asked.push(...(await ask()));
  return asked;
}

/** Prompts for a text, with the current one as the default. @returns `undefined` if it is unchanged. */
export async function askText(
  question: string,
  before: string | undefined,
  { prompter }: Pick<Context, 'prompter'>,
  problem: (text: string) => string | undefined = textProblem,
): Promise<string | undefined> {
  const answer = await prompter.text(question, {
    check: (text) => problem(text.trim()) ?? true,
    ...(before === undefined ? {} : { initial: before }),
  });
  const after = answer.trim();
  return after === before?.trim() ? undefined : after;
}
