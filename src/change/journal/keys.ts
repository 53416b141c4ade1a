import { hash } from 'node:crypto';

const uuid =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}-(?:0{4}-){3}0{12}|f{8}-(?:f{4}-){3}f{12})$/i;

/** The namespace of run ids that are not UUIDs: the UUID of `innctl` below the nil UUID. */
const NAMESPACE = 'b6615c66-f65e-59b9-974f-964f5a0a9c45';

/**
 * The idempotency key of one creation in one run; the same on every machine.
 *
 * @param body its canonical JSON.
 * @param generation how many earlier keys of the same creation are unusable.
 */
export function deriveKey(runId: string, name: string, body: string, generation: number): string {
  const namespace = uuid.test(runId) ? runId : uuidBelow(NAMESPACE, runId);
  return uuidBelow(namespace, `${name}${body}${generation === 0 ? '' : `#${generation}`}`);
}

/** A UUID of version 5 (RFC 9562). */
function uuidBelow(namespace: string, text: string): string {
  const above = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  const digest = hash('sha1', Buffer.concat([above, Buffer.from(text)]), 'hex');
  const variant = '89ab'[Number.parseInt(digest.charAt(16), 16) % 4];
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `5${digest.slice(13, 16)}`];
  return [...parts, `${variant}${digest.slice(17, 20)}`, digest.slice(20, 32)].join('-');
}
