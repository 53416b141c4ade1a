import * as v from 'valibot';
import type { Detail } from '../../errors.ts';
import { invalid } from './refusal.ts';

/** The value as the schema reads it. @throws {Refusal} 422 with every field that is missing, unknown or wrong. */
export function check<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  throw invalid(parsed.issues.map(detailOf));
}

function detailOf(issue: v.BaseIssue<unknown>): Detail {
  const field = v.getDotPath(issue) ?? 'body';
  const isKey = issue.path !== undefined && (issue.type === 'strict_object' || issue.type === 'object');
  if (isKey && issue.expected === 'never') return { field, reason: 'is not a known field' };
  if (isKey && issue.received === 'undefined') return { field, reason: 'is missing' };
  return { field, reason: issue.message };
}
