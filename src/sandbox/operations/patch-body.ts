import * as v from 'valibot';
import { check } from './check.ts';

const pointer = v.pipe(
  v.string('must be a text'),
  v.regex(/^\/([^~]|~0|~1)*$/, 'must be a path that begins with / (RFC 6901)'),
);

/** More than any record has fields, in every language. */
const MOST_STEPS = 500;

const schema = v.pipe(
  v.array(
    v.object(
      {
        op: v.picklist(
          ['add', 'remove', 'replace', 'move', 'copy', 'test'],
          'must be one of add, remove, replace, move, copy, test',
        ),
        path: pointer,
        from: v.exactOptional(pointer),
        value: v.optional(v.unknown()),
      },
      'must be an operation with op and path',
    ),
    'must be an array of operations',
  ),
  v.maxLength(MOST_STEPS, `must have at most ${MOST_STEPS} operations`),
);

/** One operation of a JSON Patch (RFC 6902). */
export type Step = v.InferOutput<typeof schema>[number];

/** @throws {Refusal} 422 when the body is no array of operations. */
export function parsePatch(body: unknown): readonly Step[] {
  return check(schema, body);
}
