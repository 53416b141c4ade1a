import { isRecord } from '../model/records.ts';

/** Levels of lists and objects that a file may have. */
export const DEEPEST = 50;

/** What a value of a file holds. */
export interface Survey {
  /** Names in all of its objects together. */
  readonly names: number;
  readonly numbers: number;
  /** Why it is not taken. */
  readonly problem?: string | undefined;
}

/** Counts the names and numbers of a value, and finds what no entry may hold: too many levels, and the name `__proto__`. */
export function survey(value: unknown): Survey {
  let names = 0;
  let numbers = 0;
  const visit = (each: unknown, depth: number): string | undefined => {
    if (typeof each === 'number') numbers += 1;
    if (typeof each !== 'object' || each === null) return undefined;
    if (depth > DEEPEST) return `is nested deeper than ${DEEPEST}`;
    if (isRecord(each)) {
      const keys = Object.keys(each);
      names += keys.length;
      if (keys.includes('__proto__')) return 'uses the name __proto__, which is not taken';
    }
    for (const inner of Object.values(each)) {
      const problem = visit(inner, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  const problem = visit(value, 1);
  return { names, numbers, problem };
}
