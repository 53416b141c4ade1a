import type { Command } from '@commander-js/extra-typings';
import type { Detail } from '../../cli/errors.ts';

type Flags = Record<string, unknown>;

/** Flags of commands that keep evidence, as given. */
export type EvidenceFlags = Readonly<Partial<Record<'evidence' | 'reason' | 'ticket', string | undefined>>>;

/** Adds the flags of commands that keep evidence. */
export function withEvidenceFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--evidence <folder>', 'keep what is done to each person in a folder')
    .option('--reason <text>', 'why, for the evidence')
    .option('--ticket <text>', 'the ticket, for the evidence');
}

/** The problems of the flags: why and for which ticket is told to nothing but the evidence. */
export function evidenceProblems({ evidence, reason, ticket }: EvidenceFlags): readonly Detail[] {
  if (evidence === '') return [{ field: '--evidence', reason: 'is not the name of a folder' }];
  const alone = Object.entries({ '--reason': reason, '--ticket': ticket }).filter(
    ([, text]) => text !== undefined,
  );
  return evidence === undefined
    ? alone.map(([field]) => ({ field, reason: 'is for the evidence: give --evidence too' }))
    : [];
}
