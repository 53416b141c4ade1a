import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Method } from '../transport.ts';
import { createProtection } from './protection.ts';

/** A write that is about to go out, as guards see it. */
export interface Intent {
  readonly method: Method;
  /** What the path names, and of a raw request the query as well, decoded: `['BER']`. */
  readonly ids: readonly string[];
  /** What it does, as the end of `Could not ...`. */
  readonly does: string;
}

/**
 * Returns when the write may go out.
 *
 * @throws {CliError} `blocked`, exit 11, naming the rule and where it is set.
 */
export type Guard = (intent: Intent) => void;

/** How much is forbidden whatever it is about: each level forbids what the one before it does, and more. */
export const safetyLevels = ['none', 'no-delete', 'no-update', 'read-only'] as const;
export type SafetyLevel = (typeof safetyLevels)[number];

/** What a rule says and where it is set: `profile chain`, `INNCTL_PROTECT`. */
export interface Rule<T> {
  readonly value: T;
  readonly source: string;
}

/** All that the settings forbid. Lists come one for each place that gives one; all of them count. */
export interface GuardRules {
  readonly safety: Rule<SafetyLevel>;
  /** Patterns of ids that nothing is written to. */
  readonly protect: readonly Rule<readonly string[]>[];
  /** Days on which nothing is written: `2026-12-20` or `2026-12-20..2027-01-06`, both ends included. */
  readonly freeze: readonly Rule<readonly string[]>[];
}

interface GuardOptions {
  /** The days that it is now, `2026-12-20`; a write is frozen on any of them. */
  readonly days: () => readonly string[];
  /** Something to type that shows how a rule is set. */
  readonly hint: (rule: keyof GuardRules) => string;
}

interface Objection {
  readonly rule: keyof GuardRules;
  /** Why not, as a part of a sentence. */
  readonly reason: string;
}

const forbids = {
  none: () => false,
  'no-delete': (method) => method === 'DELETE',
  'no-update': (method) => method === 'DELETE' || method === 'PATCH' || method === 'PUT',
  'read-only': () => true,
} as const satisfies Record<SafetyLevel, (method: Method) => boolean>;

/** A guard that names everything that stands against a write at once. It is asked for writes alone. */
export function buildGuard(rules: GuardRules, { days, hint }: GuardOptions): Guard {
  const protectionOf = createProtection(rules.protect);
  return ({ method, ids, does }) => {
    const objections = [
      ...objectionOfSafety(rules.safety, method),
      ...[...new Set(ids)].flatMap((id) => objectionOfProtection(id, protectionOf(id))),
      ...objectionsOfFreeze(rules.freeze, days),
    ];
    const [first] = objections;
    if (first === undefined) return;
    const reasons = objections.map(({ reason }) => reason).join(', and ');
    throw new CliError('blocked', `Could not ${does}: ${reasons}; nothing was sent.`, {
      exitCode: ExitCode.blocked,
      hint: hint(first.rule),
    });
  };
}

function objectionOfSafety({ value, source }: GuardRules['safety'], method: Method): readonly Objection[] {
  return forbids[value](method) ? [{ rule: 'safety', reason: `safety is ${value} (${source})` }] : [];
}

function objectionOfProtection(id: string, found: Rule<string> | undefined): readonly Objection[] {
  if (found === undefined) return [];
  return [{ rule: 'protect', reason: `${id} is protected by ${found.value} (${found.source})` }];
}

function objectionsOfFreeze(freeze: GuardRules['freeze'], days: () => readonly string[]) {
  if (freeze.length === 0) return [];
  const now = days();
  return freeze.flatMap(({ value, source }): readonly Objection[] => {
    const range = value.find((each) => now.some((day) => includes(each, day)));
    return range === undefined ? [] : [{ rule: 'freeze', reason: `writes are frozen ${range} (${source})` }];
  });
}

/** Days that are written alike are ordered like their texts. */
function includes(range: string, day: string): boolean {
  const [from = '', to = from] = range.split('..');
  return from <= day && day <= to;
}
