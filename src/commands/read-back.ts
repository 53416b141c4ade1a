import type { ReadBack, Verification } from '../api/looks.ts';
import type { Facts, Output } from '../render/output.ts';

const words = {
  confirmed: 'confirmed',
  not_yet_visible: 'not yet visible',
  not_readable: 'not readable',
} as const satisfies Record<Verification, string>;

/**
 * Reports a write that the service has taken, and what reading it back said.
 *
 * @param what the beginning of the sentence: `Updated property BER`.
 */
export async function reportWrite(
  out: Output,
  what: string,
  facts: Facts,
  { verification, paths, failure, presumed }: ReadBack,
): Promise<void> {
  if (presumed !== undefined) {
    return reportWrite(out, presumed, { ...facts, presumed: true }, { verification, paths, failure });
  }
  if (verification === undefined) return out.done(`${what}.`, facts);
  const why = [...paths, ...(failure === undefined ? [] : [failure.message])].join(', ');
  const sentence = `${what}: ${words[verification]}${why === '' ? '.' : ` (${why.replace(/\.$/, '')}).`}`;
  await out.done(sentence, {
    ...facts,
    verification,
    ...(paths.length === 0 ? {} : { unconfirmed: paths }),
    ...(failure === undefined ? {} : { reason: failure.message }),
    ...(failure?.requestId === undefined ? {} : { request_id: failure.requestId }),
  });
}
