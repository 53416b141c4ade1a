import type { Context } from '../cli/ports.ts';
import type { UserChanges } from '../model/access-change.ts';
import { textProblem } from '../model/text.ts';
import { neutraliseLine } from '../out/text.ts';
import type { ReviewLine } from './ask.ts';

/** One change that a person asked for. */
export interface AskedChange {
  readonly changes: UserChanges;
  /** The flags that say the same. */
  readonly flags: readonly string[];
  readonly line: ReviewLine;
}

/** A field that can be changed by asking. */
export interface Question {
  readonly field: string;
  readonly label: string;
  /** The value now; `undefined` where it is not shown. */
  readonly shown: string | undefined;
  /** Asks for the new value. @returns nothing where it stays. */
  ask(): Promise<readonly AskedChange[]>;
}

/** Asks which fields to change, then for the new value of each. */
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

/** Asks for a text that begins with the one that is there. @returns `undefined` where it stays. */
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
