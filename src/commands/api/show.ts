import type { RawPages, RawRequest } from '../../api/raw.ts';
import type { Answer } from '../../http/answer.ts';
import { maskHeaders } from '../../redaction.ts';
import type { Output } from '../../render/output.ts';

/** Prints an answer: its head where that is wanted (a HEAD has nothing else), its body, or that it has none. */
export async function showAnswer(
  { method, path }: RawRequest,
  { status, headers, body, doubt }: Answer,
  include: boolean,
  out: Output,
): Promise<void> {
  const sentence = `${method} ${path}: ${status}.`;
  const isRead = method === 'GET' || method === 'HEAD';
  if (include || method === 'HEAD') {
    const head = { status, headers: maskHeaders(headers) };
    await out.document(body, { head, write: isRead ? undefined : sentence });
    return;
  }
  if (doubt !== undefined)
    await out.done(`${method} ${path}: nothing is there now.`, { status, presumed: true });
  else if (body === undefined) await out.done(sentence, { status });
  else await out.document(body, { write: isRead ? undefined : sentence });
}

/** Prints every page as one document; a list without a body is one without entries. */
export async function showPages({ first, more }: RawPages, out: Output): Promise<void> {
  await out.document(first.body === undefined ? [] : first.body, { more });
}
