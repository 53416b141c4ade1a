import { groupBy } from '../model/records.ts';
import { inCodeUnits } from '../model/text.ts';
import type { Fact } from './access-document.ts';

/** Letters of the first word that a code may have. */
const MOST_LETTERS = 6;

/**
 * A short code for each role of some facts, for cells of a matrix: `FD` for FrontDesk, `HK` for Housekeeping, `AU` for
 * Auditor. Codes are unique: where the initials are not, the first word gives more letters, as in `REVM` and `RESM`.
 */
export function roleCodes(facts: readonly Fact[]): ReadonlyMap<string, string> {
  const roles = [...new Set(facts.flatMap((fact) => fact.roles ?? []))].sort(inCodeUnits);
  const codes = new Map<string, string>();
  for (let letters = 1; letters <= MOST_LETTERS; letters++) {
    const taken = new Set(codes.values());
    const open = roles.filter((role) => !codes.has(role));
    for (const [code, [role, ...others]] of groupBy(open, (each) => codeOf(each, letters)))
      if (others.length === 0 && !taken.has(code)) codes.set(role, code);
  }
  return new Map(roles.map((role) => [role, codes.get(role) ?? role]));
}

/** @param letters of the first word; a single word gives one more. */
function codeOf(role: string, letters: number): string {
  const [first, ...others] = role
    .replace('keeping', 'Keeping')
    .split(/(?=\p{Lu})|[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  if (first === undefined) return role;
  const start = first.slice(0, others.length === 0 ? letters + 1 : letters);
  return [start, ...others.map((word) => word.slice(0, 1))].join('').toUpperCase();
}
