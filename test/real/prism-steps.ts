import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Situation } from '../helpers/cli.ts';
import type { Prism } from './prism.ts';

/** A command line, and its exit code. */
export type Step = readonly [line: string, exitCode: number, situation?: Situation];

/** Runs the steps in order, and checks their exit codes and that all requests and responses match the documents. */
export async function expectSteps(prism: Prism, steps: readonly Step[]): Promise<void> {
  const ended: object[] = [];
  for (const [line, exitCode, situation] of steps) {
    const before = prism.judged.length;
    const result = await prism.innctl(line, { uuid: randomUUID(), ...situation });
    const violations = prism.judged.slice(before).flatMap((each) => each.violations);
    const stderr = result.exitCode === exitCode ? {} : { stderr: result.stderr };
    ended.push({ line, exitCode: result.exitCode, violations, ...stderr });
  }

  expect(ended).toEqual(steps.map(([line, exitCode]) => ({ line, exitCode, violations: [] })));
}
